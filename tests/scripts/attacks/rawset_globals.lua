-- The same with rawset: only this script's own.
-- expect: harmless:
local attack = require "helpers.attack"

return attack(function()
  rawset(_G, "print", nil)
end)
