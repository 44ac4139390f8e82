-- A string that grows by itself.
-- expect: suspended: a string of more than 2 MiB
-- budget: 2000
local attack = require "helpers.attack"

return attack(function()
  local text = "x"
  while true do text = text .. text end
end)
