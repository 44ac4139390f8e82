-- Leather: a millimetre of cowhide. Swings as a whole rather than in folds.
--
-- Estimates from the ranges that textile handbooks give for such cloth (weight, membrane and shear stiffness, drape
-- length); damping and shares tuned by eye and by measurement. SI units.

local tweed = require "tweed"

return tweed.fabric {
  name = "leather",
  density = .8, stretch = 60000, shear = 400, drape = .08,
  damping = 2, contact_damping = 25,
  world_motion = .12, max_distance = .25,
  edge = { damping = .8, wind = 1.3, world_motion = 1.2, max_distance = 1.15 },
  spring = { structural = 320, shear = 160, flexion = 90, damping = .05, limit = .05 },
}
