-- Tweed: the jacket of the Alan Wake article. Heavy woollen cloth of some 400 g/m², soft in shear, thick enough to
-- hang in wide folds; its motion dies within three seconds.
--
-- The article gives no numbers. A plain wool of 168 g/m² shears at 26 N/m and has a bending length of 1.5 cm when
-- tested by SiroFAST (De Boos and Tester, CSIRO 1994): tweed is heavier, and the lining makes it twice as long. It
-- gives 3.3 % at 490 N/m, where Kawabata's tester stops (Hand Evaluation, 1980). These are estimates;
-- damping and the shares of motion were tuned by eye and by `./dev fabrics`. SI units.

local tweed = require "tweed"

return tweed.fabric {
  name = "tweed",
  density = .4, stretch = 15000, shear = 35, drape = .03,
  damping = 3, contact_damping = 25, thickness = .003,
  world_motion = .2, max_distance = .4,
  edge = { damping = .6, wind = 1.8, world_motion = 1.4, max_distance = 1.25 },
  spring = { structural = 200, shear = 60, flexion = 20, damping = .02, limit = .1 },
  material = { color = { .42, .36, .28 }, roughness = .95, pattern = "herringbone" },
}
