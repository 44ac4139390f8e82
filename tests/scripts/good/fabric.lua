local tweed = require "tweed"

return tweed.fabric {
  name = "wet_tweed", base = "tweed", density = .75, damping = 1.6, edge = { wind = 1 }, spring = { limit = .2 },
}
