local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  garments = {
    tweed.pendulum { name = "hood", bone = "Spine", rest = { 0, -.001, 0 }, fabric = "tweed" },
    tweed.chain { name = "tie", bone = "Spine", points = { { 0, 0, 0 } }, fabric = "silk" },
    tweed.chain { name = "tail", bone = "Hips", points = { { 0, 0, 0 }, { 0, -.1, 0 }, { 0, -.1, 0 } }, fabric = "silk" },
    tweed.pendulum { name = "earring", bone = "Spine", points = {}, rest = { 0, -.1, 0 }, fabric = "silk" },
  },
}
