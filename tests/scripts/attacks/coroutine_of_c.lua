-- Functions in C as coroutines.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  while true do
    pcall(coroutine.wrap(table.concat), { 1, 2, 3 })
  end
end)
