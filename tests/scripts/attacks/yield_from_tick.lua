-- Leaving a callback for good.
-- expect: error: attempt to yield from outside a coroutine
local attack = require "helpers.attack"

return attack(function()
  coroutine.yield()
end)
