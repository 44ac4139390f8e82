local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  garments = {
    body.cape { solver = "mass_spring", hard = "article", bend = "article", limit_sweeps = 0 },
  },
}
