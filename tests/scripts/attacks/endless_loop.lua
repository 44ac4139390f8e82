-- A loop without end.
-- expect: suspended: more than 20 ms in one tick
local attack = require "helpers.attack"

return attack(function()
  while true do end
end)
