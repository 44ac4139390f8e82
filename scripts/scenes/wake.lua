-- One man in a jacket, in still air: what `./dev run` shows.

local tweed = require "tweed"

return tweed.scene {
  ground = 0,
  -- Still air lets the jacket come to rest. For a breeze with gusts:
  -- wind = tweed.wind { velocity = { 2, 0, 1 }, turbulence = .3, gust = .5 },
  spawn = {
    { script = "characters/wake", name = "alan", position = { 0, 0, 0 } },
  },
  camera = { target = "alan", distance = 3 },
}
