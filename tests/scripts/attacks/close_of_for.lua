-- The fourth value of a generic for, closed when the loop is left.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local meta = {}
  local closing = setmetatable({}, meta)
  meta.__close = function() while true do end end
  for _ in next, { 1 }, nil, closing do break end
end)
