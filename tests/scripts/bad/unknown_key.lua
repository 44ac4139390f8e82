local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  coliders = {},
  garments = {
    tweed.cloth {
      name = "cape", fabric = "tweed", rows = 3, colums = 3, columns = 3, attach = "Spine",
      positions = body.points(3, 3),
      bones = { prefx = "c_" },
    },
  },
  zebra = true,
}
