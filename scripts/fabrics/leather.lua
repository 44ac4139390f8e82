-- Leather: a millimetre of cowhide. Swings as a whole rather than in folds.
--
-- Hide weighs some 0.8 g/cm³. A stretch of 60 kN/m is a modulus of 60 MPa over its millimetre; by E t³/12 it would
-- bend at 8.6 cm, here at 8 (Peirce 1930). It has no weave to shear. These are estimates;
-- damping and the shares of motion were tuned by eye and by `./dev fabrics`. SI units.

local tweed = require "tweed"

return tweed.fabric {
  name = "leather",
  density = .8, stretch = 60000, shear = 400, drape = .08,
  damping = 2, contact_damping = 25, thickness = .002,
  world_motion = .12, max_distance = .25,
  edge = { damping = .8, wind = 1.3, world_motion = 1.2, max_distance = 1.15 },
  spring = { structural = 320, shear = 160, flexion = 90, damping = .05, limit = .05 },
  material = { color = { .16, .09, .06 }, roughness = .45, pattern = "grain" },
}
