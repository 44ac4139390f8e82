-- Coroutines that begin coroutines.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local function grow()
    local left, right = coroutine.wrap(grow), coroutine.wrap(grow)
    pcall(left)
    pcall(right)
  end
  while true do grow() end
end)
