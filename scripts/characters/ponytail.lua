-- The human with a ponytail.

local tweed = require "tweed"
local ponytail = require "garments.ponytail"

return tweed.character {
  skeleton = require "rigs.human".skeleton,
  clips = require "rigs.clips",
  colliders = require "rigs.body".colliders,
  garments = { ponytail { name = "ponytail", fabric = "silk" } },
  on_spawn = function(self, params) self:play(params.clip or "jump", { loop = true }) end,
}
