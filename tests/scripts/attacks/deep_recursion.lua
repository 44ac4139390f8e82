-- A function that calls itself without end.
-- expect: suspended: calls nested deeper than 10000 use up its memory
-- budget: 2000
local attack = require "helpers.attack"

return attack(function()
  local function down() return 1 + down() end
  return down()
end)
