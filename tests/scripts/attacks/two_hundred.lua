-- Two hundred characters, none of which takes all the time.
-- expect: suspended: ms in one tick
-- instances: 200
local attack = require "helpers.attack"

return attack(function()
  for _ = 1, 400000 do end
end)
