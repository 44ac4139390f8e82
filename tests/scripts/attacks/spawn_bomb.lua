-- Parameters larger than any request.
-- expect: error: more than 8192 values
local attack = require "helpers.attack"

local tweed = require "tweed"

return attack(function()
  local list = {}
  for i = 1, 10000 do list[i] = i end
  tweed.spawn { script = "characters/x", params = { list = list } }
end)
