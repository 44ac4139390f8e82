-- A veil, the article's third: silk again, a voile of half the weight that follows every breath of air and takes
-- long to come down.
--
-- 8 momme, 35 g/m². So open a weave has little to bend and to shear: B = density g drape³ (Peirce 1930) is 0.6 µN m.
-- Its damping stands for the air that so light a cloth takes along. These are estimates;
-- damping and the shares of motion were tuned by eye and by `./dev fabrics`. SI units.

local tweed = require "tweed"

return tweed.fabric {
  name = "veil", base = "silk",
  density = .035, stretch = 3000, shear = 8, drape = .012,
  damping = 14, contact_damping = 6, thickness = .0005,
  world_motion = .1, max_distance = .6,
  edge = { damping = .7 },
  spring = { structural = 30, shear = 6, flexion = .6, damping = .002 },
  material = { color = { .93, .92, .9 }, roughness = .8, pattern = "gauze" },
}
