-- The boxer as tests/scripts/motion/undressed.lua has the human.

local tweed = require "tweed"
local body = require "rigs.body"
local boxer = require "rigs.humanoid" { file = "BVH/Boxing_Toes.bvh" }

return tweed.character {
  skeleton = boxer.skeleton,
  colliders = boxer.colliders,
  meshes = body(boxer),
}
