local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  colliders = {
    tweed.ellipsoid { name = "a", bone = "Hips", center = { 0, 1 }, radii = { .2, .1, .1 } },
    tweed.ellipsoid { name = "b", bone = "Hips", center = { x = 0, y = 1, z = 0 }, radii = .2 },
    tweed.ellipsoid { name = "c", bone = "Hips", center = { 0, "up", 0 }, radii = { .2, .1, .1 } },
    tweed.ellipsoid { name = "d", bone = "Hips", rotation = { 0, 0, 0, .0009 }, radii = { .2, .1, .1 } },
    tweed.plane { name = "wall", normal = "up" },
    tweed.plane { name = "floor", normal = { 0, 0, 0 } },
  },
}
