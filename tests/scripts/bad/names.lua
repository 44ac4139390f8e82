local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  colliders = {
    tweed.sphere { name = "", bone = "Hips", radius = .1 },
    tweed.sphere { name = "all*", bone = "Hips", radius = .1 },
    tweed.sphere { name = ("long"):rep(20), bone = "Hips", radius = .1 },
    tweed.sphere { name = "\xff\xfe", bone = "Hips", radius = .1 },
  },
  commands = {
    ["what?"] = { run = function() end },
  },
}
