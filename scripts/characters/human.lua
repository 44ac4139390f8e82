-- The same human as Wake, with the same clips, in nothing that moves.

local tweed = require "tweed"
local human = require "rigs.human"
local body = require "rigs.body"

return tweed.character {
  skeleton = human.skeleton,
  clips = require "rigs.clips",
  colliders = human.colliders,
  meshes = body(human, { bare = true }),
  on_spawn = function(self) self:play("jump", { loop = true }) end,
}
