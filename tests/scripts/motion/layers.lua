-- The shipped human in a skirt and an open coat over it, which both keep out of themselves.

local tweed = require "tweed"
local human = require "rigs.human"
local gait = require "rigs.gait"
local jacket = require "garments.jacket"
local skirt = require "garments.skirt"

return tweed.character {
  skeleton = human.skeleton,
  clips = { stand = gait.stand(), run = gait.run { speed = 5 } },
  colliders = human.colliders,
  garments = {
    skirt { name = "skirt", fabric = "silk", flare = .08, self_collision = .015 },
    jacket { name = "coat", hem = -.7, open = "front", fabric = "cotton", clearance = .06, flare = .14,
           self_collision = .015 },
  },
}
