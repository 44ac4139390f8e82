-- The same, set when the metatable is in use.
-- expect: harmless:
local attack = require "helpers.attack"

return attack(function()
  local meta = {}
  for _ = 1, 1000 do setmetatable({}, meta) end
  meta.__gc = function() while true do end end
end)
