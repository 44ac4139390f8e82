-- A table that says it is longer than it is.
-- expect: harmless:
local attack = require "helpers.attack"

return attack(function()
  local list = setmetatable({}, { __len = function() return math.maxinteger end })
  table.insert(list, 1, "x")
  table.remove(list, 1)
  assert(table.concat(list) == "" and select("#", table.unpack(list)) == 0)
end)
