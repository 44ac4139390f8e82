local tweed = require "tweed"
local gait = require "rigs.gait"

return tweed.character {
  skeleton = require("rigs.human").skeleton,
  clips = { walk = gait.walk { sped = 1.2 } },
}
