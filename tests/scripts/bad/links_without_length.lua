local tweed = require "tweed"
local body = require "helpers.body"

local points = body.points(3, 3)
points[6] = points[5]

return tweed.character {
  skeleton = body.skeleton(),
  garments = {
    body.cape { positions = points },
    body.cape { name = "other", pattern = points },
  },
}
