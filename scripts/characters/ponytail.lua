-- The human with a ponytail.

local tweed = require "tweed"
local human = require "rigs.human"
local ponytail = require "garments.ponytail"

return tweed.character {
  skeleton = human.skeleton,
  clips = require "rigs.clips",
  colliders = human.colliders,
  garments = { ponytail { name = "ponytail", fabric = "silk" } },
  on_spawn = function(self, params) self:play(params.clip or "jump", { loop = true }) end,
}
