-- Ever more coroutines that wait.
-- expect: error: more than 1024 coroutines of one character
local attack = require "helpers.attack"

local tweed = require "tweed"

return attack(function(self)
  while true do
    self:run(function()
      while true do tweed.wait(1) end
    end)
  end
end)
