local tweed = require "tweed"

return tweed.fabric { density = .4 }
