-- Long sorting in which no instruction of Lua runs.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local list = {}
  for i = 1, 500000 do list[i] = i * 7919 % 500009 end
  while true do table.sort(list) end
end)
