local tweed = require "tweed"

return tweed.fabric { name = "plain", density = .2, damping = 2 }
