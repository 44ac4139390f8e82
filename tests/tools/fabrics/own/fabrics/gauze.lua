-- Someone's own fabric, for the test of the cards: it builds on one that is shipped.
local tweed = require "tweed"

return tweed.fabric { name = "gauze", base = "veil", drape = .02 }
