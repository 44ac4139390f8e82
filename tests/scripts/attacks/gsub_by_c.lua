-- A function in C for each letter.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local text = ("a"):rep(1000000)
  while true do text:gsub(".", string.upper) end
end)
