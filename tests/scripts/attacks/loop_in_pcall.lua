-- Loops that catch what stops them.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  while true do
    pcall(function() while true do end end)
  end
end)
