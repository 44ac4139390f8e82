local tweed = require "tweed"

return tweed.fabric {
  name = "jacket_of_the_article", base = "tweed",
  article = { iterations = 4, stretch = .9, shear = .5, bend = .2, damping = .05, cell = .06 },
  trail = { angle = 15, speed = 5 },
}
