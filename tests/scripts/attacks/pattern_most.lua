-- The same with the greedy kind, within gsub.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local text = ("a"):rep(5000)
  text:gsub("(a*)*(a*)(a*)(a*)(a*)b", "")
end)
