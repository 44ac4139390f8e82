local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  garments = {
    body.cape { name = ("n"):rep(50) },
    body.cape {
      bones = { prefix = "a prefix is the beginning of a bone's name, and this one is too long" },
    },
    tweed.pendulum { name = ("p"):rep(60), bone = "Spine", rest = { 0, -.1, 0 }, fabric = "tweed" },
  },
}
