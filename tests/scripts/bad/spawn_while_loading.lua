local tweed = require "tweed"

tweed.spawn { script = "characters/wake" }

return tweed.scene {}
