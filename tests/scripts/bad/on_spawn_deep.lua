local tweed = require "tweed"

local function step(self)
  self:play "run"
end

return tweed.character {
  skeleton = tweed.skeleton { { name = "Hips" } },
  clips = { walk = tweed.clip { duration = 1, sample = function() return {} end } },
  on_spawn = function(self) step(self) end,
}
