local tweed = require "tweed"

return tweed.fabric {
  name = "loden",
  article = { iterations = .5, stretch = 2, sheer = .1, cell = 0 },
  trail = { angle = 100 },
}
