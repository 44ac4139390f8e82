local tweed = require "tweed"

return tweed.scene(tweed.wind "strong")
