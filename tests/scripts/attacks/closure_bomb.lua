-- Functions without end, each of which keeps the one before.
-- expect: suspended: its memory is used up
-- budget: 2000
local attack = require "helpers.attack"

local kept

return attack(function()
  for _ = 1, 20000 do
    local before = kept
    kept = function() return before end
  end
end)
