local tweed = require "tweed"

return tweed.character {
  skeleton = tweed.skeleton { { name = "Hips" } },
  on_spawn = function(self, params)
    if params.height then self.height = params.height + 1 end
  end,
}
