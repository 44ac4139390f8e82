-- Brackets that never close, sought from each letter.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local text = ("("):rep(1000000)
  text:find("%b()")
end)
