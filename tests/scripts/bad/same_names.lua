local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  colliders = {
    tweed.sphere { name = "ball", bone = "Hips", radius = .1 },
    tweed.sphere { name = "ball", bone = "Spine", radius = .1 },
  },
  driven = {
    tweed.bone { name = "pad", parent = "Spine" },
    tweed.bone { name = "pad", parent = "Hips" },
    tweed.bone { name = "Hips", parent = "Spine" },
  },
  garments = {
    body.cape(),
    body.cape(),
  },
}
