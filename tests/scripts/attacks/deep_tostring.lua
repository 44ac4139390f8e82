-- A __tostring that asks for itself.
-- expect: error: C stack overflow
local attack = require "helpers.attack"

return attack(function()
  local knot = {}
  setmetatable(knot, { __tostring = function() return tostring(knot) end })
  return tostring(knot)
end)
