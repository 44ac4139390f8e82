-- Lua looks for __call without end, in its own code: no instruction is run.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local t = {}
  setmetatable(t, t)
  t.__call = t
  t()
end)
