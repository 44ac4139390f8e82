-- A compiled loop, in an environment of its own.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  load("while true do end", "loop", "t", {})()
end)
