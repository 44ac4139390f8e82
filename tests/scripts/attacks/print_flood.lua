-- Lines without end.
-- expect: suspended: ms in one tick
-- lines: 51
local attack = require "helpers.attack"

return attack(function()
  while true do print(("x"):rep(1000)) end
end)
