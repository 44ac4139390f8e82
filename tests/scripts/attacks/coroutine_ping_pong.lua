-- Two coroutines that hand over without end.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local echo = coroutine.wrap(function()
    while true do coroutine.yield() end
  end)
  while true do echo() end
end)
