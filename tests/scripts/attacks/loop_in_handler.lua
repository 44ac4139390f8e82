-- A message handler without end.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  xpcall(error, function() while true do end end)
end)
