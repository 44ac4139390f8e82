local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  colliders = {
    tweed.sphere { name = "on the cape", bone = "cape_0_1", radius = .1 },
    tweed.sphere { name = "on nothing", bone = "cape_0_0", radius = .1 },
  },
  garments = { body.cape { name = "cape", bones = { first_column = 1, every = 2 } } },
}
