-- A handler that Lua's collector would call.
-- expect: error: setmetatable: no __gc here
local attack = require "helpers.attack"

return attack(function()
  setmetatable({}, { __gc = function() while true do end end })
end)
