-- A function in C as the comparison.
-- expect: suspended: more than 20 ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local list = {}
  for i = 1, 200000 do list[i] = { i } end
  while true do pcall(table.sort, list, rawequal) end
end)
