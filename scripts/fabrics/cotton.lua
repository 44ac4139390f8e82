-- Cotton: a shirt's poplin of 150 g/m², crisp; it swings for longer than down.
--
-- A dense plain weave: it shears harder than wool (26 N/m of a suiting by SiroFAST) and gives 5 % at Kawabata's
-- 490 N/m (1980); bending, B = density g drape³ (Peirce 1930), is 20 µN m. These are estimates;
-- damping and the shares of motion were tuned by eye and by `./dev fabrics`. SI units.

local tweed = require "tweed"

return tweed.fabric {
  name = "cotton",
  density = .15, stretch = 10000, shear = 45, drape = .024,
  damping = 3.4, contact_damping = 22, thickness = .0015,
  world_motion = .18, max_distance = .5,
  edge = { damping = .7, wind = 1.6, world_motion = 1.3, max_distance = 1.2 },
  spring = { structural = 110, shear = 30, flexion = 6, damping = .01, limit = .1 },
  material = { color = { .62, .66, .57 }, roughness = .9, pattern = "plain" },
}
