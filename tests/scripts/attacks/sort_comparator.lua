-- A comparison without end, within table.sort.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  table.sort({ 3, 2, 1 }, function() while true do end end)
end)
