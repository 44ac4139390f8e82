local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  garments = {
    body.cape { attach = { { Spine = 1 }, { Spine = 1 } } },
    body.cape {
      name = "shawl",
      attach = { { Spine = 0 }, { "Spine" }, { Spine = 2 } },
    },
  },
}
