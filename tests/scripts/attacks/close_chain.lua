-- Handlers without end in scopes within scopes, set when the metatable is in use.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local meta = {}
  local function new() return setmetatable({}, meta) end
  meta.__close = function() while true do end end
  local function nest(depth)
    local _ <close> = new()
    if depth > 0 then nest(depth - 1) end
    error("unwind")
  end
  while true do pcall(nest, 100) end
end)
