local tweed = require "tweed"

return tweed.fabric {
  name = "loden", damping = 3,
  article = { stretch = 1e-5 },
  trail = { angle = 80, speed = 2 },
}
