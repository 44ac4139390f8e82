-- The boxer of BVH/Boxing_Toes.bvh (Debian: assimp-testmodels) in Wake's jacket, cut to him.

local tweed = require "tweed"
local humanoid = require "rigs.humanoid"
local body = require "rigs.body"
local new_face = require "rigs.face"
local gait = require "rigs.gait"
local loop = require "rigs.loop"
local jacket = require "garments.jacket"
local jacket_upper = require "garments.jacket_upper"
local suit = require "garments.suit"

local boxer = humanoid { file = "BVH/Boxing_Toes.bvh" }
local face = new_face {
  body = boxer, jaw = .9, chin = .5, brow = .8, nose = -.3, nostrils = .7, bridge = -.5, cheekbones = .5, lids = .9,
}

return tweed.character {
  skeleton = boxer.skeleton,
  clips = {
    box = tweed.clip { file = boxer.file, from = .1, to = 23.9, loop_blend = .3 }, -- then he falls
    walk = gait.walk { body = boxer },
    run = gait.run { body = boxer, speed = 4 },
    stand = gait.stand { body = boxer },
  },
  colliders = boxer.clothed,
  meshes = suit { body = boxer, face = face,
                  skin = body(boxer, { face = face, color = { .50, .34, .25 }, hair = { .05, .04, .035 },
                                       fists = true }),
                  shirt = { .30, .11, .10 }, trousers = { .26, .27, .29 },
                  hair = { .07, .055, .05 }, cut = "cropped" },
  driven = jacket_upper { body = boxer },
  garments = { jacket { name = "jacket", upper = true, body = boxer, fabric = "tweed" } },
  on_spawn = function(self, params) self:play(params.clip or "box", { loop = true }) end,
  commands = {
    box = { help = "box", run = loop "box" },
    walk = { help = "walk", run = loop "walk" },
    run = { help = "run", run = loop "run" },
    stand = { help = "stand still", run = loop "stand" },
  },
}
