-- An old lady: a veil over her grey hair, a black blouse, a cotton skirt to the shins, a slow walk.

local tweed = require "tweed"
local human = require "rigs.human"
local body = require "rigs.body"
local new_face = require "rigs.face"
local gait = require "rigs.gait"
local loop = require "rigs.loop"
local veil = require "garments.veil"
local skirt = require "garments.skirt"
local hair = require "garments.hair"
local shoes = require "garments.shoes"
local bodysuit = require "garments.bodysuit"

local lady = require "rigs.padded"(human) -- the veil lies on her hair and shoulders
local face = new_face {
  jowls = .3, wattle = .9, sinews = 1, folds = 1, bags = 1, temples = .7, cheeks = -.5, cheekbones = .5, nose = .3,
  nostrils = .1, bridge = .2, lips = -.5, mouth = -.2, jaw = -.9, chin = -.1, brow = -.2, lids = .9, width = -.3,
  length = -.1,
}
local meshes = body(human, { face = face, color = { .74, .55, .46 }, hair = { .45, .44, .43 } })
local BLACK = { .035, .033, .036 }
for _, worn in ipairs {
  bodysuit { skin = meshes[1], name = "blouse", color = BLACK, sleeves = .97, neck = .06, out = .003, roughness = .9 },
  bodysuit { skin = meshes[1], name = "stockings", color = { .06, .055, .055 }, top = .3, legs = 2, out = .001 },
  hair { color = { .58, .57, .56 }, cut = "knot", face = face },
  shoes { color = { .03, .028, .027 } },
} do meshes[#meshes + 1] = worn end

return tweed.character {
  skeleton = human.skeleton,
  clips = { walk = gait.walk { speed = .5 }, stand = gait.stand() },
  colliders = table.move(human.knees, 1, 2, #lady.colliders + 1, { table.unpack(lady.colliders) }),
  meshes = meshes,
  garments = {
    veil { name = "veil", fabric = "veil", body = lady },
    skirt { name = "skirt", fabric = "cotton", top = .16, hem = -1.3, rows = 12, flare = .14,
            waistband = .03, skin = meshes[1], regions = { { thickness = .007 } } },
  },
  on_spawn = function(self, params) self:play(params.clip or "walk", { loop = true }) end,
  commands = {
    walk = { help = "walk slowly", run = loop("walk", .5) },
    stand = { help = "stand still", run = loop("stand", .5) },
  },
}
