-- An array without end, some of it in each tick.
-- expect: suspended: a table or text of more than 16 MiB
-- budget: 2000
local attack = require "helpers.attack"

local list = {}

return attack(function()
  for _ = 1, 50000 do list[#list + 1] = 1 end
end)
