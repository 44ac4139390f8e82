local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  colliders = {
    tweed.sphere { name = "pelvis", bone = "Hipz", radius = .1 },
  },
  driven = {
    tweed.aim { bone = "LeftAm", at = { bone = "Spin", offset = { 0, .1, 0 } } },
    tweed.twist { bone = "LeftArm", follows = "LeftHand" },
    tweed.position { between = { "LeftArm", "RihgtArm" } },
  },
  garments = {
    body.cape { attach = "Neck" },
    body.cape { name = "shawl", attach = { { Spine = 1 }, { Spien = 1 }, { Spine = .5, Hips = .5 } } },
    tweed.pendulum { name = "hood", bone = "Neck", rest = { 0, -.1, -.1 }, fabric = "tweed" },
  },
}
