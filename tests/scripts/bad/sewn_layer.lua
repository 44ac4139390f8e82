local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  colliders = { tweed.sphere { name = "ball", bone = "cape_0_0", radius = .1 } },
  garments = {
    body.cape { name = "cape" },
    body.cape { name = "bib", colliders = { "ball" } },
  },
  seams = { tweed.seam { "cape", column = 0, to = { "bib", column = 0 } } },
}
