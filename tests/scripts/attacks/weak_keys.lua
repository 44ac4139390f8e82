-- Weak tables, which the collector goes through again and again.
-- expect: error: setmetatable: no __mode here
local attack = require "helpers.attack"

return attack(function()
  setmetatable({}, { __mode = "k" })
end)
