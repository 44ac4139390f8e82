-- What the human can do. The jumps are motion capture where it can be had.

local tweed = require "tweed"
local human = require "rigs.human"
local gait = require "rigs.gait"
local moves = require "rigs.moves"
local pose = require "rigs.pose"

-- The actor is slimmer than the human's flesh and jacket: at his sides, his forearms would be 3 cm within the hips.
local arms_out = {}
for side, sign in pairs { left = 1, right = -1 } do
  arms_out[human.bone[side .. "_upper_arm"]] = pose.turn(pose.Z, sign * 15)
end

return {
  -- frame 0 of CMU's files is a calibration pose
  jump = human.file and tweed.clip { file = human.file, from = .1, to = 22.9, loop_blend = .3, turns = arms_out }
    or moves.leap(),
  walk = gait.walk { speed = 1.1 },
  dodge = moves.dodge(),
  stand = gait.stand(),
}
