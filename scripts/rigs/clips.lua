-- What the human can do. The jumps are motion capture where it can be had.

local tweed = require "tweed"
local human = require "rigs.human"
local gait = require "rigs.gait"
local moves = require "rigs.moves"

return {
  -- frame 0 of CMU's files is a calibration pose
  jump = human.file and tweed.clip { file = human.file, from = .1, to = 22.9, loop_blend = .3 } or moves.leap(),
  walk = gait.walk { speed = 1.1 },
  dodge = moves.dodge(),
  stand = gait.stand(),
}
