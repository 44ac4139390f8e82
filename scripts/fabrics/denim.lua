-- Denim: a 13-ounce twill. Hardly stretches, keeps its shape, and stops sooner than tweed.
--
-- Estimates from the ranges that textile handbooks give for such cloth (weight, membrane and shear stiffness, drape
-- length); damping and shares tuned by eye and by measurement. SI units.

local tweed = require "tweed"

return tweed.fabric {
  name = "denim",
  density = .43, stretch = 30000, shear = 140, drape = .05,
  damping = 4.2, contact_damping = 30,
  world_motion = .15, max_distance = .3,
  edge = { damping = .7, wind = 1.4, world_motion = 1.3, max_distance = 1.2 },
  spring = { structural = 260, shear = 100, flexion = 40, damping = .03, limit = .08 },
}
