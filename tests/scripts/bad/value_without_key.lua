local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  body.skeleton(),
  skeleton = body.skeleton(),
  [1.5] = true,
}
