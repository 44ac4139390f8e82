-- A man in a jacket who stands his ground while a tornado passes him at less than a metre.

local tweed = require "tweed"

return tweed.scene {
  ground = 0,
  wind = tweed.wind { velocity = { 1, 0, 0 }, turbulence = .3, gust = .3 },
  spawn = {
    { script = "characters/wake", name = "alan", position = { 0, 0, 0 }, params = { clip = "stand" } },
  },
  camera = { target = "alan", distance = 4 },
  on_start = function()
    -- From his right; after 3 s it is in front of him, .8 m away, its air turning fastest .45 m from the axis.
    tweed.tornado {
      name = "twister", position = { -4.5, 0, .8 }, velocity = { 1.5, 0, 0 },
      radius = .4, strength = 14, lift = 6,
    }
  end,
}
