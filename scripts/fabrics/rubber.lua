-- Rubber: a thin sheet that bounces. It has a limit, so its vertical links are soft, not exact.
--
-- Estimates from the ranges that textile handbooks give for such cloth (weight, membrane and shear stiffness, drape
-- length); damping and shares tuned by eye and by measurement. SI units.

local tweed = require "tweed"

return tweed.fabric {
  name = "rubber",
  density = .45, stretch = 30, shear = 150, drape = .05,
  damping = .8, contact_damping = 40,
  world_motion = .25, max_distance = .4, limit = .15,
  edge = { damping = 1, wind = 1.2, world_motion = 1.1, max_distance = 1.1 },
  spring = { structural = 40, shear = 30, flexion = 8, damping = .02, limit = .3 },
}
