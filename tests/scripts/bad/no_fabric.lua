local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  garments = {
    body.cape { fabric = "twed" },
  },
}
