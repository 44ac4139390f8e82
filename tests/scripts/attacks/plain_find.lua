-- A long text sought in a longer one of the same letters.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local letters = ("a"):rep(1000000)
  while true do letters:find(letters:sub(1, 500000) .. "b", 1, true) end
end)
