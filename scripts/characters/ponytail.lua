-- The human with a ponytail.

local tweed = require "tweed"
local human = require "rigs.human"
local body = require "rigs.body"
local ponytail = require "garments.ponytail"
local bodysuit = require "garments.bodysuit"
local hair = require "garments.hair"
local trousers = require "garments.trousers"
local shoes = require "garments.shoes"

local meshes, BROWN = body(human), { .20, .12, .07 }
for _, worn in ipairs {
  bodysuit { skin = meshes[1], name = "top", color = { .55, .16, .15 }, sleeves = .3, neck = .07, out = .003 },
  trousers { color = { .13, .17, .26 } }, shoes { color = { .55, .54, .52 } }, hair { color = BROWN },
} do meshes[#meshes + 1] = worn end

return tweed.character {
  skeleton = human.skeleton,
  clips = require "rigs.clips",
  colliders = human.colliders,
  meshes = meshes,
  garments = { ponytail { name = "ponytail", fabric = "silk" } },
  on_spawn = function(self, params) self:play(params.clip or "jump", { loop = true }) end,
}
