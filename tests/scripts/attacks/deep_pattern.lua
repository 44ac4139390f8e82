-- A pattern of ever so many parts.
-- expect: error: pattern too complex
local attack = require "helpers.attack"

return attack(function()
  local text = ("a"):rep(300)
  return text:match(("a?"):rep(300))
end)
