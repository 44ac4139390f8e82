local tweed = require "tweed"

return tweed.fabric { name = "loden", base = "loden" }
