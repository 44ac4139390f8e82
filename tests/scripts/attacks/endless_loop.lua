-- A loop without end.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  while true do end
end)
