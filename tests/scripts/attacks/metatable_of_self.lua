-- The methods of self.
-- expect: error: no "__index" in string
local attack = require "helpers.attack"

return attack(function(self)
  getmetatable(self).__index.play = nil
end)
