local tweed = require "tweed"

tweed.sleep = function() end
