local tweed = require "tweed"

return tweed.scene {
  ground = 0,
  spawn = { { script = "characters/doll", name = "alan" }, { script = "characters/drone", name = "drone" } },
}
