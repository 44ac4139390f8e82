-- The shipped human in still poses, with a shake before them, in garments that are given.

local tweed = require "tweed"
local human = require "rigs.human"
local moves = require "hard_moves"

local clips = { shake = moves.crouch(60) }
for _, name in ipairs { "stand", "bow", "crouch", "sit", "kneel", "back", "face", "arms" } do
  clips[name] = moves.still(name)
  clips[name .. "_breathing"] = moves.breathing(name)
end

return function(garments)
  return tweed.character {
    skeleton = human.skeleton,
    clips = clips,
    colliders = human.colliders,
    garments = garments,
  }
end
