local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  colliders = {
    tweed.sphere { bone = "Hips" },
    tweed.capsule {
      name = "arm",
      bone = "LeftArm",
    },
  },
  garments = {
    tweed.cloth {
      name = "cape",
    },
  },
  commands = { dodge = { help = "dodge" } },
}
