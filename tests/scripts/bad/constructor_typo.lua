local tweed = require "tweed"

return tweed.charcter {}
