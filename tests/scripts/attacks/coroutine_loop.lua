-- A loop within a coroutine, whose errors are caught outside.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  while true do
    pcall(coroutine.wrap(function() while true do end end))
  end
end)
