-- One who asks for more each time it is refused.
-- expect: suspended: its memory is used up
-- budget: 2000
local attack = require "helpers.attack"

local kept = {}

return attack(function()
  for _ = 1, 10 do
    pcall(function() kept[#kept + 1] = ("x"):rep(1000000) .. #kept end)
  end
end)
