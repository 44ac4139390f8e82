-- Two ways at each letter: 2 to the 90th.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local text = ("a"):rep(90)
  text:match(("a?"):rep(90) .. ("a"):rep(90) .. "b")
end)
