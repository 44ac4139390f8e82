-- The same, moved.
-- expect: error: more than 1048576 values at a time
local attack = require "helpers.attack"

return attack(function()
  return table.move({}, math.mininteger, math.maxinteger, 1)
end)
