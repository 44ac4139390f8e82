-- Ranges over a table whose values a function in C makes.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local huge = {}
  for i = 1, 200000 do huge[i] = i end
  local proxy = setmetatable({}, { __index = function() return table.concat(huge) end })
  while true do table.move(proxy, 1, 1000000, 1, {}) end
end)
