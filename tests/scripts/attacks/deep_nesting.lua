-- A text nested deeper than the compiler goes.
-- expect: error: C stack overflow
local attack = require "helpers.attack"

return attack(function()
  assert(load(("("):rep(500) .. "1" .. (")"):rep(500)))
end)
