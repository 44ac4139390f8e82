-- A global function, replaced behind the seal.
-- expect: error: global "print" cannot be assigned
local attack = require "helpers.attack"

return attack(function()
  _G.print = nil
end)
