-- Barry Wheeler: a man in a down jacket, short and thick, buttoned in front.

local tweed = require "tweed"
local human = require "rigs.human"
local body = require "rigs.body"
local new_face = require "rigs.face"
local gait = require "rigs.gait"
local moves = require "rigs.moves"
local loop = require "rigs.loop"
local jacket = require "garments.jacket"
local jacket_upper = require "garments.jacket_upper"
local suit = require "garments.suit"

local face = new_face {
  width = .9, cheeks = .9, jaw = .5, jowls = .5, nose = -.2, nostrils = .6, chin = -.3, lids = .5,
}

return tweed.character {
  skeleton = human.skeleton,
  clips = { walk = gait.walk { speed = 1.2 }, stand = gait.stand(), run = gait.run { speed = 3 }, leap = moves.leap() },
  colliders = human.clothed,
  meshes = suit { skin = body(human, { face = face, color = { .86, .66, .56 }, hair = { .24, .15, .08 } }), face = face,
                  trousers = { .24, .27, .34 }, pattern = "twill", hair = { .30, .19, .10 }, cut = "cropped" },
  driven = jacket_upper(),
  garments = {
    jacket { name = "jacket", upper = true, front = "closed", fabric = "down", rows = 7, hem = -.2, clearance = .03,
             flare = .02, gap = .03 },
  },
  seams = { tweed.seam { "jacket", name = "zip", column = 0, to = { "jacket", column = 16 }, closed = true } },
  on_spawn = function(self, params) self:play(params.clip or "walk", { loop = true }) end,
  commands = {
    walk = { help = "walk", run = loop "walk" },
    run = { help = "run from what is in the woods", run = loop "run" },
    leap = { help = "leap, again and again", run = loop "leap" },
    stand = { help = "stand still", run = loop "stand" },
    zip = { help = "close the jacket", run = function(self) self:close_seam("zip") end },
    unzip = { help = "open the jacket", run = function(self) self:open_seam("zip") end },
  },
}
