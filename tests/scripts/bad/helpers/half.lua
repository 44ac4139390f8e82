local tweed = require "tweed"

return tweed.character { garmets = {} }
