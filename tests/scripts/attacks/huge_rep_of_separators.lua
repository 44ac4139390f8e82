-- The same by its separators.
-- expect: error: string.rep: more than 2 MiB
local attack = require "helpers.attack"

return attack(function()
  return (""):rep(1 << 40, ",")
end)
