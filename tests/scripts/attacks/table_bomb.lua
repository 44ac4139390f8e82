-- Tables without end, some in each tick.
-- expect: suspended: its memory is used up
-- budget: 2000
local attack = require "helpers.attack"

local list = {}

return attack(function()
  for _ = 1, 20000 do list = { list, {}, {} } end
end)
