-- The boxer in the dancer's skirt of springs.

local tweed = require "tweed"
local humanoid = require "rigs.humanoid"
local skirt = require "garments.skirt"

local boxer = humanoid { file = "BVH/Boxing_Toes.bvh" }

return tweed.character {
  skeleton = boxer.skeleton,
  clips = { box = tweed.clip { file = boxer.file, from = .1, to = 23.9 } },
  colliders = boxer.colliders,
  garments = {
    skirt { name = "skirt", body = boxer, fabric = "cotton", solver = "mass_spring", columns = 32, rows = 12, hem = -1,
            max_distance = { top = 0, bottom = .35, curve = .8 } },
  },
}
