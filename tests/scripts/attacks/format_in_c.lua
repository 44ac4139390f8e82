-- Many values to format, each of which takes a function in C long.
-- expect: error: string.format: more than 64 values
local attack = require "helpers.attack"

return attack(function()
  local sorted = setmetatable({}, { __tostring = table.concat })
  local many = {}
  for i = 1, 200 do many[i] = sorted end
  return string.format(("%s"):rep(200), table.unpack(many))
end)
