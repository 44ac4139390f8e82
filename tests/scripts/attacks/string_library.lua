-- A library's function, replaced: only for this script itself.
-- expect: harmless:
local attack = require "helpers.attack"

return attack(function()
  string.upper = function() return 'no' end
end)
