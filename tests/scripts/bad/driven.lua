local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  driven = {
    tweed.bone { name = "pad", parent = "Sprine" },
    tweed.bone { name = "a", parent = "b" },
    tweed.bone { name = "b", parent = "a" },
    tweed.aim { bone = "LeftArm" },
    tweed.aim { bone = "LeftArm", at = { bone = "Hips" }, direction = { 0, -1, 0 } },
    tweed.aim { bone = "LeftArm", at = { bone = "LeftArm" } },
    tweed.aim { bone = "LeftArm", direction = { 0, -1, 0 }, axis = "w" },
    tweed.position { between = { "LeftArm" } },
    tweed.position { between = { "LeftArm", "LeftArm" } },
    tweed.position { between = { "LeftArm", "RightArm" }, keep = "height" },
    tweed.twist { bone = "LeftArm", follows = "LeftArm" },
    tweed.slide { bone = "LeftArm", follows = "RightArm", relative_to = "LeftArm" },
  },
}
