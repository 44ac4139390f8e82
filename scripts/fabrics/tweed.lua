-- Tweed: the jacket of the Alan Wake article. Heavy woollen cloth of some 400 g/m², soft in shear, thick enough to
-- hang in wide folds; its motion dies within a second or two.
--
-- Estimates from the ranges that textile handbooks give for such cloth (weight, membrane and shear stiffness, drape
-- length); damping and shares tuned by eye and by measurement. SI units.

local tweed = require "tweed"

return tweed.fabric {
  name = "tweed",
  density = .4, stretch = 15000, shear = 35, drape = .03,
  damping = 3, contact_damping = 25,
  world_motion = .2, max_distance = .4,
  edge = { damping = .6, wind = 1.8, world_motion = 1.4, max_distance = 1.25 },
  spring = { structural = 200, shear = 60, flexion = 20, damping = .02, limit = .1 },
}
