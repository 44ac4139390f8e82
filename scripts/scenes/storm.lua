-- A cape in a storm: 20 m/s from ahead and aside, in gusts.

local tweed = require "tweed"

return tweed.scene {
  ground = 0,
  wind = tweed.wind { velocity = { 12, 0, -16 }, turbulence = .4, gust = .5 },
  spawn = { { script = "characters/hero", name = "hero" } },
  camera = { target = "hero", distance = 4 },
}
