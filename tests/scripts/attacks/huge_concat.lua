-- A range without an end.
-- expect: error: more than 1048576 values at a time
local attack = require "helpers.attack"

return attack(function()
  return table.concat({}, "x", 1, math.maxinteger)
end)
