local tweed = require "tweed"
local body = require "helpers.body"

local wake = tweed.character {
  skeleton = body.skeleton(),
  garments = {
    body.cape {
      fabric = "denm", -- "denim"
    },
  },
}

return wake
