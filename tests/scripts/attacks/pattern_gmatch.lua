-- The same within gmatch.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  for _ in ("x"):rep(20000):gmatch(".-.-.-.-y") do end
end)
