local tweed = require "tweed"

return tweed.scene { wind = tweed.wind(), ground = "low" }
