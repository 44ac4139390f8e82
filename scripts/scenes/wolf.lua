-- A wolf in a blanket of tweed walks over the ground.

local tweed = require "tweed"

return tweed.scene {
  ground = 0,
  spawn = {
    { script = "characters/wolf", name = "wolf", position = { 0, 0, 0 } },
  },
  camera = { target = "wolf", distance = 4 },
}
