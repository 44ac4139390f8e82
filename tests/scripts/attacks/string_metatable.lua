-- The table that all strings share.
-- expect: error: no "__index" in string
local attack = require "helpers.attack"

return attack(function()
  getmetatable("").__index.upper = nil
end)
