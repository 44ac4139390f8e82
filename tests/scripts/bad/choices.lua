local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  garments = {
    body.cape { solver = "springs" },
    body.cape {
      name = "shawl",
      references = "nearest",
      collision = true,
      hard = "soft",
      bend = "artcle",
      bones = { last_row = "both" },
    },
    body.cape { name = "scarf", references = { "pelviss" }, slits = { { column = 1, row = 1, over = "top" } } },
  },
}
