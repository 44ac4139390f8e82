local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  colliders = {
    tweed.sphere { name = "under", bone = "cape_0_0", radius = .1 },
    tweed.sphere { name = "over", bone = "bib_0_2", radius = .1 },
  },
  garments = {
    body.cape { name = "cape", colliders = { "over" } },
    body.cape { name = "bib", colliders = { "under" } },
  },
}
