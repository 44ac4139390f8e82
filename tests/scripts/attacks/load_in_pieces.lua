-- A text that comes in pieces without end.
-- expect: error: string expected, got function
local attack = require "helpers.attack"

return attack(function()
  return load(function() return " " end)
end)
