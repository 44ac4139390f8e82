local tweed = require "tweed"

return tweed.fabric {
  name = "loden",
  base = "twede",
  density = 400,
  streach = 15000,
  edge = { dampng = .6, wind = 1.8 },
  spring = { damping = -1 },
}
