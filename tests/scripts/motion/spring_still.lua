-- The shipped human in a skirt of springs, in a pose without room for it.

local tweed = require "tweed"
local human = require "rigs.human"
local skirt = require "garments.skirt"
local moves = require "hard_moves"

return tweed.character {
  skeleton = human.skeleton,
  clips = { crouch = moves.still "crouch" },
  colliders = table.move(human.knees, 1, 2, #human.colliders + 1, { table.unpack(human.colliders) }),
  garments = {
    skirt { name = "skirt", fabric = "cotton", solver = "mass_spring", columns = 32, rows = 12, hem = -1,
            self_collision = 0, max_distance = { top = 0, bottom = .35, curve = .8 } },
  },
}
