-- Protected calls within protected calls, twice at each.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local function both()
    pcall(both)
    pcall(both)
  end
  both()
end)
