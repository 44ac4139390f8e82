local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  driven = {
    tweed.bone { name = "left", parent = "Spine", position = { .1, 0, 0 } },
    tweed.bone { name = "right", parent = "Spine", position = { -.1, 0, 0 } },
    tweed.aim { bone = "left", at = { bone = "right" } },
    tweed.aim { bone = "right", at = { bone = "left" } },
  },
}
