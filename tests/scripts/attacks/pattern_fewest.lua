-- A pattern that goes back for longer than anyone lives.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local text = ("a"):rep(50000)
  text:find(("a-"):rep(30) .. "b")
end)
