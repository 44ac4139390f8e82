local tweed = require "tweed"

local function step(self)
  self:play "run"
end

return tweed.character {
  skeleton = tweed.skeleton { { name = "Hips" } },
  on_spawn = function(self) step(self) end,
}
