-- Rubber: a sheet that bounces. It has a limit, so its vertical links are soft, not exact.
--
-- 450 g/m², two millimetres of foam as in a thin wetsuit, which bends as stiff as denim. A real one would not stretch
-- under its own weight so that one sees it: 30 N/m is less than a tenth of even half a millimetre of latex (1 MPa,
-- 500 N/m), and its damping less than any foam's, for the bounce. Damping, stretch and the shares of motion were
-- tuned by eye and by `./dev fabrics`. SI units.

local tweed = require "tweed"

return tweed.fabric {
  name = "rubber",
  density = .45, stretch = 30, shear = 150, drape = .05,
  damping = .8, contact_damping = 40, thickness = .002,
  world_motion = .25, max_distance = .4, limit = .15,
  edge = { damping = 1, wind = 1.2, world_motion = 1.1, max_distance = 1.1 },
  spring = { structural = 40, shear = 30, flexion = 8, damping = .02, limit = .3 },
  material = { color = { .07, .07, .08 }, roughness = .5, pattern = "smooth" },
}
