local tweed = require "tweed"
local body = require "helpers.body"

local colliders = {}
for i = 1, 3 do
  colliders[i] = tweed.sphere { name = "ball_" .. i, bone = "Hips", radius = .1 * (2 - i) }
end

local hood = tweed.pendulum {
  name = "hood",
  bone = "Spine",
  rest = { 0, -.1, 0 },
  fabric = "twead",
}

return tweed.character {
  skeleton = body.skeleton(),
  colliders = colliders,
  garments = { hood, body.cape { name = "cape", rows = 200 }, body.cape() },
}
