-- A value whose text a function in C makes, many times over.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local list = {}
  for i = 1, 200000 do list[i] = i end
  local value = setmetatable(list, { __tostring = table.concat })
  local many = {}
  for i = 1, 10000 do many[i] = value end
  print(table.unpack(many))
end)
