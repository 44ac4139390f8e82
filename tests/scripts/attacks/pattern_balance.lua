-- Brackets that never close, sought from each letter.
-- expect: suspended: more than 20 ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local text = ("("):rep(1000000)
  text:find("%b()")
end)
