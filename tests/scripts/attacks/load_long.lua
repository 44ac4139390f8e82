-- A text that takes long to compile.
-- expect: error: load: more than 16384 bytes
local attack = require "helpers.attack"

return attack(function()
  return load(("x = 1 "):rep(100000))
end)
