-- As call_chain.lua, in a coroutine, below a handler.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local t = {}
  t.__call = t
  setmetatable(t, t)
  local step = coroutine.wrap(function() xpcall(t, error) end)
  step()
end)
