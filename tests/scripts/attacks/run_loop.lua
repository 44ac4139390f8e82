-- A coroutine of self:run that never waits.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function(self)
  self:run(function() while true do end end)
end)
