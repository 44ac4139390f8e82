-- A numeric for without end.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  for _ = 1, math.huge do end
end)
