-- Errors in error handlers, over and over.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

return attack(function()
  local function fail() error(setmetatable({}, { __tostring = fail })) end
  while true do xpcall(fail, fail) end
end)
