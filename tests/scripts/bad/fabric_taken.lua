local tweed = require "tweed"

return tweed.fabric { name = "tweed", density = .3 }
