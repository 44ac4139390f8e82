-- Protected calls within protected calls, twice at each.
-- expect: suspended: more than 20 ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local function both()
    pcall(both)
    pcall(both)
  end
  both()
end)
