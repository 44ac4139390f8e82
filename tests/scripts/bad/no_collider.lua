local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  colliders = {
    tweed.sphere { name = "pelvis", bone = "Hips", radius = .1 },
    tweed.sphere { name = "chest", bone = "Spine", radius = .1 },
  },
  garments = {
    body.cape { colliders = { "chest", "pelivs" } },
    body.cape { name = "shawl", colliders = { "moon" } },
  },
}
