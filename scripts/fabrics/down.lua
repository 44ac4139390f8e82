-- A quilted down jacket, the article's second: light for its thickness, stiff to bend, and calm, since the filling
-- and the air in it take up the motion.
--
-- Two shells of 60 g/m² and a filling of 140; as a whole it bends at a length of 4.5 cm, B = density g drape³ of
-- 230 µN m, twice that of the tweed (Peirce, The Handle of Cloth as a Measurable Quantity, 1930, has the formula).
-- The quilting's seams let it give more than its shells. These are estimates;
-- damping and the shares of motion were tuned by eye and by `./dev fabrics`. SI units.

local tweed = require "tweed"

return tweed.fabric {
  name = "down",
  density = .26, stretch = 8000, shear = 60, drape = .045,
  damping = 6.5, contact_damping = 20, thickness = .015,
  world_motion = .15, max_distance = .3,
  edge = { damping = .6, wind = 1.5, world_motion = 1.3, max_distance = 1.2 },
  spring = { structural = 120, shear = 60, flexion = 30, damping = .03, limit = .1 },
  material = { color = { .2, .32, .4 }, roughness = .6, pattern = "quilted" },
}
