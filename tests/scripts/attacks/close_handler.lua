-- A handler that the end of a scope would call.
-- expect: error: setmetatable: no __close here
local attack = require "helpers.attack"

return attack(function()
  local _ <close> = setmetatable({}, { __close = function() while true do end end })
end)
