-- The collector's switch.
-- expect: error: no global "collectgarbage"
local attack = require "helpers.attack"

return attack(function()
  collectgarbage("stop")
end)
