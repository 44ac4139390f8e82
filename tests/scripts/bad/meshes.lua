-- Render meshes cannot be given yet.
local tweed = require "tweed"

return tweed.character {
  skeleton = tweed.skeleton { { name = "hips" } },
  meshes = { { name = "body" } },
}
