-- The boxer of BVH/Boxing_Toes.bvh in the shipped jacket.

local tweed = require "tweed"
local humanoid = require "rigs.humanoid"
local gait = require "rigs.gait"
local jacket = require "garments.jacket"
local moves = require "hard_moves"

local boxer = humanoid { file = "BVH/Boxing_Toes.bvh" }

return tweed.character {
  skeleton = boxer.skeleton,
  clips = {
    box = tweed.clip { file = boxer.file, from = .1, to = 23.9 },
    stand = gait.stand { body = boxer },
    tuck = moves.impossible("tuck", boxer),
    kick = moves.impossible("kick", boxer),
    cross = moves.impossible("cross", boxer),
    arch = moves.impossible("arch", boxer),
  },
  colliders = boxer.colliders,
  garments = { jacket { name = "jacket", body = boxer, columns = 17, rows = 9, open = "front", fabric = "tweed" } },
}
