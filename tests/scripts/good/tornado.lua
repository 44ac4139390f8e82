local tweed = require "tweed"

return tweed.scene {
  on_start = function()
    tweed.tornado {
      name = "twister", position = { -6, 0, .9 }, radius = .6, strength = 14, lift = 6, velocity = { 1.5, 0, 0 },
    }
    tweed.tornado { name = "dust devil", position = { 0, 0, 0 }, radius = .3, strength = -5, lift = 2 }
    tweed.calm "dust devil"
  end,
}
