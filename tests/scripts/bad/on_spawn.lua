local tweed = require "tweed"

return tweed.character {
  skeleton = tweed.skeleton { { name = "Hips" } },
  clips = { walk = tweed.clip { duration = 1, sample = function() return {} end } },
  on_spawn = function(self)
    self:run(function()
      tweed.wait(0)
      self:stpo "walk"
    end)
    self:run(function() self:play("walk", { lop = true }) end)
    self:play "wlak"
  end,
}
