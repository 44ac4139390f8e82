local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  colliders = { tweed.sphere { name = "ball", bone = "cape_0_0", radius = .1 } },
  garments = { body.cape { name = "cape", colliders = { "ball" } } },
}
