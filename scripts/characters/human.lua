-- The same human as Wake, with the same clips, in nothing that moves.

local tweed = require "tweed"

return tweed.character {
  skeleton = require "rigs.human".skeleton,
  clips = require "rigs.clips",
  colliders = require "rigs.body".colliders,
  on_spawn = function(self) self:play("jump", { loop = true }) end,
}
