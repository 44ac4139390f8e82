-- A dancer in a skirt cut from a circle, who turns on the spot until it flies.

local tweed = require "tweed"
local human = require "rigs.human"
local gait = require "rigs.gait"
local moves = require "rigs.moves"
local loop = require "rigs.loop"
local skirt = require "garments.skirt"
local dancewear = require "garments.dancewear"

local ARMS = 42 -- degrees from straight down: clear of the skirt
local meshes = dancewear(human, { .10, .09, .11 })

return tweed.character {
  skeleton = human.skeleton,
  clips = {
    spin = moves.spin { turns = 1 }, walk = gait.walk { speed = 1.2, arms = ARMS },
    stand = gait.stand { arms = ARMS }, leap = moves.leap { arms = ARMS },
  },
  colliders = table.move(human.knees, 1, 2, #human.colliders + 1, { table.unpack(human.colliders) }),
  meshes = meshes,
  -- The references stand out half way from hanging to flying, so that max distance allows both, and no tangle.
  garments = {
    skirt { name = "skirt", fabric = "silk", circle = .95, flare = .55, columns = 48, top = .16,
            waistband = .025, skin = meshes[1], regions = { { thickness = .007 } },
            max_distance = { top = 0, bottom = .45, curve = .8 } },
  },
  on_spawn = function(self, params)
    self:play(params.clip or "spin", { loop = true })
    self:run(function() -- silk's damping is that of still air, but the air under the skirt turns with her
      tweed.wait(0)
      tweed.request("fabric.set", { character = self.name, garment = "skirt", values = { damping = 1 } })
    end)
  end,
  commands = {
    spin = { help = "turn, once a second", run = loop "spin" },
    leap = { help = "leap, again and again", run = loop "leap" },
    walk = { help = "walk", run = loop "walk" },
    stand = { help = "stand still", run = loop "stand" },
  },
}
