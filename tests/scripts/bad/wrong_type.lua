local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  colliders = "none",
  driven = { tweed.bone { name = 5, parent = "Hips" } },
  garments = {
    tweed.cloth {
      name = "cape", fabric = { "tweed" },
      rows = "9",
      columns = 3.5,
      closed = 1,
      attach = 7,
      positions = function() end,
    },
  },
  on_tick = true,
  commands = { dodge = { run = "dodge" }, jump = function() end },
}
