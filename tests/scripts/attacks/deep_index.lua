-- An __index that asks for itself.
-- expect: error: C stack overflow
local attack = require "helpers.attack"

return attack(function()
  local knot = setmetatable({}, { __index = function(t, key) return t[key] end })
  return knot.x
end)
