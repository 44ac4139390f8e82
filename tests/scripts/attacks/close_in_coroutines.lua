-- Coroutines that fail with variables to close, which begin further ones.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local meta = {}
  local function fall()
    local _ <close> = setmetatable({}, meta)
    error("down")
  end
  meta.__close = function()
    while true do pcall(coroutine.wrap(fall)) end
  end
  while true do pcall(fall) end
end)
