-- Below the budget in each tick, and more than half of all the time there is.
-- expect: suspended: more than half of the time of 60 ticks
-- rate: 1000
local attack = require "helpers.attack"

return attack(function()
  for _ = 1, 1500000 do end
end)
