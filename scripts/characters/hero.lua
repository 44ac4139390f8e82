-- A man in a cape.

local tweed = require "tweed"
local human = require "rigs.human"
local body = require "rigs.body"
local gait = require "rigs.gait"
local loop = require "rigs.loop"
local cape = require "garments.cape"

return tweed.character {
  skeleton = human.skeleton,
  clips = { stand = gait.stand(), walk = gait.walk { speed = 1.4 }, run = gait.run { speed = 5 } },
  colliders = human.colliders,
  meshes = body(human),
  garments = { -- free to fly up to level
    cape { name = "cape", fabric = "silk", max_distance = { top = 0, bottom = 1.4, curve = .8 } },
  },
  on_spawn = function(self, params) self:play(params.clip or "stand", { loop = true }) end,
  commands = {
    stand = { help = "stand and face it", run = loop "stand" },
    walk = { help = "walk", run = loop "walk" },
    run = { help = "run", run = loop "run" },
  },
}
