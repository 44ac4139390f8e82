local tweed = require "tweed"

return tweed.fabric {
  name = "loden", stretch = 300, density = .4, world_motion = .2,
  article = { iterations = 4, stretch = .9, damping = .95 },
  trail = { angle = 60, speed = 5 },
}
