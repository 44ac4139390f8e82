-- The old lady in black: a veil over her head, a skirt to the shins, a slow walk.

local tweed = require "tweed"
local human = require "rigs.human"
local body = require "rigs.body"
local gait = require "rigs.gait"
local loop = require "rigs.loop"
local veil = require "garments.veil"
local skirt = require "garments.skirt"

return tweed.character {
  skeleton = human.skeleton,
  clips = { walk = gait.walk { speed = .5 }, stand = gait.stand() },
  colliders = human.colliders,
  meshes = body(human),
  garments = {
    veil { name = "veil", fabric = "veil" },
    skirt { name = "skirt", fabric = "cotton", hem = -1.3, rows = 12, flare = .14 },
  },
  on_spawn = function(self, params) self:play(params.clip or "walk", { loop = true }) end,
  commands = {
    walk = { help = "walk slowly", run = loop("walk", .5) },
    stand = { help = "stand still", run = loop("stand", .5) },
  },
}
