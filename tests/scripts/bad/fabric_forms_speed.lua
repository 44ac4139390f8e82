local tweed = require "tweed"

return tweed.fabric {
  name = "loden", world_speed = 3,
  trail = { angle = 20, speed = 5 },
}
