local tweed = require "tweed"

return tweed.scene {
  ground = 0,
  spawn = { { script = "characters/pole", name = "alan" } },
  camera = { target = "alan", distance = 3 },
}
