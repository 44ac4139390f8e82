local tweed = require "tweed"

return tweed.character {
  skeleton = { { name = "Hips" } },
  clips = { walk = { duration = 1 } },
}
