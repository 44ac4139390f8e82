-- A string larger than all memory.
-- expect: error: string.rep: more than 2 MiB
local attack = require "helpers.attack"

return attack(function()
  return ("x"):rep(1 << 40)
end)
