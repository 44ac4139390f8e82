-- Silk: a 16-momme satin, slippery, in many small folds.
--
-- A momme is 4.34 g/m²: 16 are 70. Bending, B = density g drape³ (Peirce 1930), of 4 µN m and a shear of 14 N/m are
-- below those of a light wool (5.6 µN m and 26 N/m by SiroFAST), as silk feels. These are estimates;
-- damping and the shares of motion were tuned by eye and by `./dev fabrics`. SI units.

local tweed = require "tweed"

return tweed.fabric {
  name = "silk",
  density = .07, stretch = 6000, shear = 14, drape = .018,
  damping = 8, contact_damping = 8, thickness = .001,
  world_motion = .12, max_distance = .55,
  edge = { damping = .5, wind = 1.6, world_motion = 1.3, max_distance = 1.2 },
  spring = { structural = 50, shear = 10, flexion = 1, damping = .004, limit = .1 },
  material = { color = { .55, .1, .14 }, roughness = .4, pattern = "satin" },
}
