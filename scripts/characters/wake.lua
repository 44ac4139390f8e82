-- Alan Wake's case: a man in a tweed jacket that hangs open, with a hood, over a white shirt and dark trousers.

local tweed = require "tweed"
local human = require "rigs.human"
local body = require "rigs.body"
local new_face = require "rigs.face"
local loop = require "rigs.loop"
local jacket = require "garments.jacket"
local jacket_upper = require "garments.jacket_upper"
local suit = require "garments.suit"

local face = new_face {
  jaw = .7, chin = .6, nose = .45, bridge = .5, brow = .6, length = .4, cheeks = -.3, lids = .85,
}

return tweed.character {
  skeleton = human.skeleton,
  clips = require "rigs.clips",
  colliders = human.clothed,
  meshes = suit { skin = body(human, { face = face }), face = face },
  driven = jacket_upper(),
  garments = {
    jacket { name = "jacket", upper = true, columns = 25, rows = 9, open = "front", fabric = "tweed",
             vent = "back", fullness = .2, hood = "hood", hood_material = false },
    tweed.pendulum {
      name = "hood", bone = "nape", rest = { 0, -.12, -.08 }, fabric = "tweed",
      pose_stiffness = 3, pose_damping = .3, angle_limit = 55, -- it keeps its shape
    },
  },
  seams = { tweed.seam { "jacket", name = "front", column = 0, to = { "jacket", column = 25 }, rows = { 1, 5 },
                         closed = false } },
  on_spawn = function(self, params) self:play(params.clip or "jump", { loop = true }) end,
  commands = {
    jump = { help = "jump and turn, for ever", run = loop "jump" },
    walk = { help = "walk calmly forward", run = loop "walk" },
    stand = { help = "stand still", run = loop "stand" },
    reach = {
      help = "reach for { hand = \"left\", place = { x, y, z } } in model space; without a place reach out, or let go",
      run = require "rigs.reach"(human),
    },
    button = { help = "button the jacket up", run = function(self) self:close_seam("front") end },
    unbutton = { help = "let the jacket hang open", run = function(self) self:open_seam("front") end },
    dodge = {
      help = "dodge to the left and back, then walk on",
      run = function(self)
        self:run(function()
          self:play("dodge", { fade = .1 })
          tweed.wait(.8)
          self:play("walk", { loop = true, fade = .3 })
        end)
      end,
    },
  },
}
