-- Keys without end, some in each tick.
-- expect: suspended: MiB
-- budget: 2000
local attack = require "helpers.attack"

local keys, count = {}, 0

return attack(function()
  for _ = 1, 5000 do
    count = count + 1
    keys["key " .. count] = count
  end
end)
