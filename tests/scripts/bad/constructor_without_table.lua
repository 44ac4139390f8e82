local tweed = require "tweed"

return tweed.character {
  skeleton = tweed.skeleton { { name = "pole" } },
  colliders = { tweed.sphere "large", tweed.sphere { name = "head", bone = "pole", radius = -1 } },
}
