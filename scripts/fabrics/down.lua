-- A quilted down jacket, the article's second: light for its thickness, stiff to bend, and calm, since the filling
-- and the air in it take up the motion.
--
-- Estimates from the ranges that textile handbooks give for such cloth (weight, membrane and shear stiffness, drape
-- length); damping and shares tuned by eye and by measurement. SI units.

local tweed = require "tweed"

return tweed.fabric {
  name = "down",
  density = .26, stretch = 8000, shear = 60, drape = .045,
  damping = 6.5, contact_damping = 20,
  world_motion = .2, max_distance = .3,
  edge = { damping = .6, wind = 1.5, world_motion = 1.3, max_distance = 1.2 },
  spring = { structural = 120, shear = 60, flexion = 30, damping = .03, limit = .1 },
}
