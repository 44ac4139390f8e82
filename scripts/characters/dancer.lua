-- A dancer in a wide skirt, who turns on the spot until it flies.

local tweed = require "tweed"
local human = require "rigs.human"
local gait = require "rigs.gait"
local moves = require "rigs.moves"
local loop = require "rigs.loop"
local skirt = require "garments.skirt"

return tweed.character {
  skeleton = human.skeleton,
  clips = { spin = moves.spin(), walk = gait.walk { speed = 1.2 }, stand = gait.stand(), leap = moves.leap() },
  colliders = human.colliders,
  garments = { skirt { name = "skirt", fabric = "silk" } },
  on_spawn = function(self, params) self:play(params.clip or "spin", { loop = true }) end,
  commands = {
    spin = { help = "turn, one and a half times a second", run = loop "spin" },
    leap = { help = "leap, again and again", run = loop "leap" },
    walk = { help = "walk", run = loop "walk" },
    stand = { help = "stand still", run = loop "stand" },
  },
}
