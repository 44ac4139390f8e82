-- Denim: cotton as a twill of 13 ounces. Hardly stretches, keeps its shape, and stops sooner than tweed.
--
-- An ounce a square yard is 33.9 g/m²: 13 are 440, here a little less for wear. It gives 1.6 % at Kawabata's
-- 490 N/m (1980); its bending length (Peirce 1930) is more than twice the poplin's. These are estimates;
-- damping and the shares of motion were tuned by eye and by `./dev fabrics`. SI units.

local tweed = require "tweed"

return tweed.fabric {
  name = "denim", base = "cotton",
  density = .43, stretch = 30000, shear = 140, drape = .05,
  damping = 4.2, contact_damping = 30, thickness = .002,
  world_motion = .15, max_distance = .3,
  edge = { wind = 1.4 },
  spring = { structural = 260, shear = 100, flexion = 40, damping = .03, limit = .08 },
  material = { color = { .13, .19, .33 }, roughness = .85, pattern = "twill" },
}
