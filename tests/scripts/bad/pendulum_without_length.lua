local tweed = require "tweed"

return tweed.character {
  skeleton = tweed.skeleton { { name = "Neck" } },
  garments = {
    tweed.pendulum { name = "hood", bone = "Neck", fabric = "silk", rest = { 0, 0, 0 } },
  },
}
