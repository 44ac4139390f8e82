-- One with a ponytail, jumping: a chain with angle limits, pose stiffness and colliders.

local tweed = require "tweed"

return tweed.scene {
  ground = 0,
  spawn = { { script = "characters/ponytail", name = "kim" } },
  camera = { target = "kim", distance = 3 },
}
