local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  garments = {
    tweed.pendulum { name = "hood", bone = "Spine", rest = { 0, -.001, 0 }, fabric = "tweed" },
    tweed.chain { name = "tie", bone = "Spine", points = { { 0, 0, 0 } }, fabric = "silk" },
    tweed.chain { name = "tail", bone = "Hips", points = { { 0, 0, 0 }, { 0, -.1, 0 }, { 0, -.1, 0 } }, fabric = "silk" },
    tweed.pendulum { name = "earring", bone = "Spine", points = {}, rest = { 0, -.1, 0 }, fabric = "silk" },
    tweed.chain {
      name = "braid", bone = "Spine", points = { { 0, 0, 0 }, { 0, -.1, 0 } }, fabric = "silk",
      pose_stiffness = { base = 31, top = 2 }, pose_damping = -1, angle_limit = "narrow",
    },
    tweed.chain {
      name = "whip", bone = "Spine", points = { { 0, 0, 0 }, { 0, -.1, 0 } }, fabric = "silk",
      pose_stiffness = { 1, 2 }, angle_limit = 30, hard = "article",
    },
    tweed.chain { name = "rope", bone = "Spine", points = { { 0, 0, 0 }, { 0, -.1, 0 } }, follows = {}, fabric = "silk" },
    tweed.chain { name = "cord", bone = "Spine", points = { { 0, 0, 0 }, { 0, -.1, 0 } }, follows = { "Tail" },
                  fabric = "silk" },
    tweed.pendulum { name = "bell", bone = "Spine", rest = { 0, -.1, 0 }, fabric = "silk", angle_limit = 200 },
  },
}
