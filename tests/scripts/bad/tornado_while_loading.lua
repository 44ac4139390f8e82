local tweed = require "tweed"

tweed.tornado { name = "twister", position = { 0, 0, 0 }, radius = 1, strength = 10, lift = 5 }

return tweed.scene {}
