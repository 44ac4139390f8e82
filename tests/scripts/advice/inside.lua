local tweed = require "tweed"

return tweed.character {
  skeleton = tweed.skeleton {
    { name = "Hips", position = { 0, 1, 0 } },
    { name = "Spine", parent = "Hips", position = { 0, .3, 0 }, rotation = { 0, .7071068, 0, .7071068 } },
  },
  colliders = {
    tweed.sphere { name = "ball", bone = "Spine", center = { .3, -.2, 0 }, radius = .05 },
    tweed.ellipsoid { name = "egg", bone = "Hips", radii = { .1, .2, .1 } },
    tweed.capsule { name = "pin", bone = "Hips", from = { 1, 0, 0 }, to = { 2, 0, 0 }, radius = .1, radius_end = .2 },
    tweed.plane { name = "floor" },
  },
  garments = {
    tweed.chain {
      name = "tail", bone = "Hips", fabric = "silk",
      points = { { 0, .1, -.3 }, { 0, .1, -.27 }, { 0, 0, -.08 }, { 1.5, .05, 0 } },
    },
  },
}
