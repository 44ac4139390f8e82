-- Silk: a 16-momme satin of 70 g/m², slippery, in many small folds.
--
-- Estimates from the ranges that textile handbooks give for such cloth (weight, membrane and shear stiffness, drape
-- length); damping and shares tuned by eye and by measurement. SI units.

local tweed = require "tweed"

return tweed.fabric {
  name = "silk",
  density = .07, stretch = 6000, shear = 14, drape = .018,
  damping = 8, contact_damping = 8,
  world_motion = .3, max_distance = .55,
  edge = { damping = .7, wind = 1.6, world_motion = 1.3, max_distance = 1.2 },
  spring = { structural = 50, shear = 10, flexion = 1, damping = .004, limit = .1 },
}
