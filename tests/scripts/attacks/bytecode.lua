-- Compiled code.
-- expect: error: attempt to load a binary chunk
local attack = require "helpers.attack"

return attack(function()
  assert(load("\27LuaT\0\x19\x93\r\n\x1a\n", "code", "b"))
end)
