-- Coroutines without end, all kept.
-- expect: suspended: its memory is used up
-- budget: 2000
local attack = require "helpers.attack"

local kept = {}

return attack(function()
  for _ = 1, 2000 do
    local run = coroutine.wrap(function() coroutine.yield() end)
    run()
    kept[#kept + 1] = run
  end
end)
