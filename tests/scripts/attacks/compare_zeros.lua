-- Long strings that differ at their ends.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local zeros = ("\0"):rep(2000000)
  local other = zeros .. "x"
  while true do local _ = zeros < other end
end)
