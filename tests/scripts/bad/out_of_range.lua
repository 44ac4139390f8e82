local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  colliders = {
    tweed.sphere { name = "head", bone = "Hips", radius = -1 },
    tweed.ellipsoid { name = "pelvis", bone = "Hips", center = { 0, 200, 0 }, radii = { .2, .1, 0 } },
    tweed.capsule { name = "arm", bone = "LeftArm", to = { 0, -.2, 0 }, radius = .05, radius_end = 1 / 0 },
  },
  driven = {
    tweed.aim { bone = "LeftArm", direction = { 0, -1, 0 }, weight = 2 },
  },
  garments = {
    body.cape { rows = 1 },
  },
}
