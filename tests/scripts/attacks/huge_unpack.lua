-- The same, as arguments.
-- expect: error: more than 1048576 values at a time
local attack = require "helpers.attack"

return attack(function()
  return table.unpack({}, 0, math.maxinteger)
end)
