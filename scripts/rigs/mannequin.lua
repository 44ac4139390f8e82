-- Someone to show a fabric on: the human, in a jacket's lower part and a short cape of it, standing or walking.
--
--   return require "rigs.mannequin" "silk"     -- a whole character's file

local tweed = require "tweed"
local human = require "rigs.human"
local body = require "rigs.body"
local gait = require "rigs.gait"
local loop = require "rigs.loop"
local jacket = require "garments.jacket"
local cape = require "garments.cape"

-- A shop's dummy, so that cloth stands out
local SHELL = { color = { .66, .65, .63 }, roughness = .55, pattern = "smooth" }

return function(fabric)
  return tweed.character {
    skeleton = human.skeleton,
    clips = { stand = gait.stand(), walk = gait.walk(), run = gait.run { speed = 4 } },
    colliders = human.colliders,
    meshes = { body(human)[1]:with { material = SHELL } },
    garments = {
      jacket { name = "jacket", fabric = fabric, columns = 33, rows = 12, fullness = .5 },
      cape { name = "cape", fabric = fabric, top = 1, hem = .66, rows = 6, columns = 13 },
    },
    on_spawn = function(self, params)
      local clip = params.clip or "stand"
      self:play(clip, { loop = true, at = clip == "stand" and 0 or tweed.random() })
    end,
    commands = {
      stand = { help = "stand still", run = loop "stand" },
      walk = { help = "walk on", run = loop "walk" },
      run = { help = "run on", run = loop "run" },
    },
  }
end
