-- The shipped human in three garments that do not meet each other, for still poses after a shake.

local tweed = require "tweed"
local human = require "rigs.human"
local cape = require "garments.cape"
local jacket = require "garments.jacket"
local skirt = require "garments.skirt"
local moves = require "hard_moves"

local clips = { shake = moves.crouch(60) }
for _, name in ipairs { "stand", "bow", "crouch", "sit", "kneel", "back", "face", "arms" } do
  clips[name] = moves.still(name)
end

return tweed.character {
  skeleton = human.skeleton,
  clips = clips,
  colliders = human.colliders,
  garments = {
    jacket { name = "jacket", open = "front", self_collision = 0 },
    skirt { name = "skirt", self_collision = 0 },
    cape { name = "cape", self_collision = 0 },
  },
}
