local tweed = require "tweed"

return tweed.character {
  skeleton = tweed.skeleton {
    { name = "Hips", position = { 0, .95, 0 } },
    { name = "Head", parent = "Hips", position = { 0, .7, 0 } },
  },
  colliders = {
    tweed.sphere { name = "head", bone = "Head", radius = 9 },
    tweed.capsule { name = "trunk", bone = "Hips", to = { 0, 50, 0 }, radius = .1 },
    tweed.ellipsoid { name = "hips", bone = "Hips", radii = { .2, .2, .2 } },
  },
  garments = {
    tweed.chain { name = "tail", bone = "Hips", fabric = "silk", colliders = {},
                  points = { { 0, 0, -.2 }, { 0, -20, -.2 }, { 0, -40, -.2 } } },
    tweed.chain { name = "tie", bone = "Head", fabric = "silk", points = { { 0, 0, .3 }, { 0, -.2, .3 } }, colliders = {} },
  },
}
