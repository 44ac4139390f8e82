local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  colliders = {
    { name = "ball", bone = "Hips", radius = .1 },
    tweed.bone { name = "pad", parent = "Hips" },
    nil,
    "ball",
  },
  garments = { cape = body.cape() },
}
