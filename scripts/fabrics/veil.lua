-- A veil, the article's third: 35 g/m² of voile that follows every breath of air and takes long to come down.
--
-- Estimates from the ranges that textile handbooks give for such cloth (weight, membrane and shear stiffness, drape
-- length); damping and shares tuned by eye and by measurement. SI units.

local tweed = require "tweed"

return tweed.fabric {
  name = "veil",
  density = .035, stretch = 3000, shear = 8, drape = .012,
  damping = 14, contact_damping = 6,
  world_motion = .3, max_distance = .6,
  edge = { damping = .7, wind = 1.6, world_motion = 1.3, max_distance = 1.2 },
  spring = { structural = 30, shear = 6, flexion = .6, damping = .002, limit = .1 },
}
