-- The human with a ponytail.

local tweed = require "tweed"
local human = require "rigs.human"
local body = require "rigs.body"
local new_face = require "rigs.face"
local ponytail = require "garments.ponytail"
local bodysuit = require "garments.bodysuit"
local belt = require "garments.belt"
local hair = require "garments.hair"
local trousers = require "garments.trousers"
local shoes = require "garments.shoes"

local BROWN = { .30, .17, .09 }
local face = new_face { jaw = -.7, nose = -.5, nostrils = -.4, lips = .4, cheekbones = .4, brow = -.5, lids = .6 }
local meshes = body(human, { face = face, color = { .83, .63, .52 }, hair = { .20, .12, .07 } })
local jeans = trousers { color = { .13, .17, .26 } }
for _, worn in ipairs {
  bodysuit { skin = meshes[1], name = "top", color = { .55, .16, .15 }, sleeves = .3, neck = .07, out = .003,
             bottom = .35 },
  jeans,
  hair { color = BROWN, cut = "tied", face = face },
  shoes { color = { .55, .54, .52 } },
} do meshes[#meshes + 1] = worn end
for _, part in ipairs { belt { over = jeans, out = .004, color = { .16, .09, .05 } } } do meshes[#meshes + 1] = part end

return tweed.character {
  skeleton = human.skeleton,
  clips = require "rigs.clips",
  colliders = human.colliders,
  meshes = meshes,
  garments = { ponytail { name = "ponytail", fabric = "silk", color = BROWN } },
  on_spawn = function(self, params) self:play(params.clip or "jump", { loop = true }) end,
}
