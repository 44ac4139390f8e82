-- The shipped human in the shipped jacket, moving as hard as the tests ask for.

local tweed = require "tweed"
local human = require "rigs.human"
local gait = require "rigs.gait"
local jacket = require "garments.jacket"
local moves = require "hard_moves"

return tweed.character {
  skeleton = human.skeleton,
  clips = {
    jump = require "rigs.clips".jump,
    walk = gait.walk { speed = 1.4 },
    stand = gait.stand(),
    crouch = moves.crouch(60),
    crouch_together = moves.crouch(60, true),
    bow = moves.bow(),
    tuck = moves.impossible "tuck",
    kick = moves.impossible "kick",
    cross = moves.impossible "cross",
    arch = moves.impossible "arch",
    run = moves.run_about(),
  },
  colliders = human.colliders,
  garments = {
    jacket { name = "jacket", columns = 17, rows = 9, open = "front", fabric = "tweed" },
  },
}
