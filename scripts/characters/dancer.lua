-- A dancer in a skirt cut from a circle, who turns on the spot until it flies.

local tweed = require "tweed"
local human = require "rigs.human"
local body = require "rigs.body"
local gait = require "rigs.gait"
local moves = require "rigs.moves"
local loop = require "rigs.loop"
local skirt = require "garments.skirt"
local bodysuit = require "garments.bodysuit"
local hair = require "garments.hair"

local meshes = body(human)
for _, worn in ipairs {
  bodysuit { skin = meshes[1], name = "tights", color = { .72, .56, .50 }, top = .3, legs = 1, out = .001 },
  bodysuit { skin = meshes[1], name = "leotard", color = { .10, .09, .11 }, sleeves = .97, neck = .085 },
  bodysuit { skin = meshes[1], name = "slippers", color = { .74, .50, .46 }, top = -1.97, legs = 2, out = .003 },
  hair { color = { .12, .075, .05 }, bun = true },
} do meshes[#meshes + 1] = worn end

return tweed.character {
  skeleton = human.skeleton,
  clips = {
    spin = moves.spin { turns = 1 }, walk = gait.walk { speed = 1.2 }, stand = gait.stand(), leap = moves.leap(),
  },
  colliders = human.colliders,
  meshes = meshes,
  -- The references stand out half way from hanging to flying, so that max distance allows both, and no tangle.
  garments = {
    skirt { name = "skirt", fabric = "silk", circle = .95, flare = .55, columns = 48,
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
