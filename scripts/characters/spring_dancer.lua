-- A dancer whose skirt is a net of springs, 48 columns of 12 rows from the waist to the knees, most of a circle: she
-- walks, turns until it flies, kicks and leaps.

local tweed = require "tweed"
local human = require "rigs.human"
local gait = require "rigs.gait"
local moves = require "rigs.moves"
local skirt = require "garments.skirt"
local dancewear = require "garments.dancewear"

-- Until the next command.
local function dance(self)
  local number = (self.dances or 0) + 1
  self.dances = number
  self:run(function()
    while self.dances == number do
      for _, step in ipairs { { "walk", 2 }, { "pirouette", 3.4 }, { "kick", 3.2 }, { "leap", 3.6 } } do
        if self.dances == number then self:play(step[1], { loop = true, fade = .3 }) end
        tweed.wait(step[2])
      end
    end
  end)
end

local function only(clip)
  return function(self)
    self.dances = (self.dances or 0) + 1
    self:play(clip, { loop = true, fade = .3 })
  end
end

local ARMS = 36 -- degrees from straight down: clear of the skirt
local meshes = dancewear(human, { .13, .14, .20 })

return tweed.character {
  skeleton = human.skeleton,
  clips = {
    walk = gait.walk { speed = 1.2, arms = ARMS }, run = gait.run { speed = 3, arms = ARMS },
    stand = gait.stand { arms = ARMS }, leap = moves.leap { arms = ARMS },
    pirouette = moves.pirouette(), kick = moves.kick { arms = ARMS },
  },
  colliders = table.move(human.knees, 1, 2, #human.colliders + 1, { table.unpack(human.colliders) }),
  meshes = meshes,
  garments = {
    skirt { name = "skirt", fabric = "cotton", solver = "mass_spring", columns = 48, rows = 12, hem = -1,
            circle = .8, flare = .4, top = .165, waistband = .03, skin = meshes[1],
            max_distance = { top = 0, bottom = .45, curve = .8 } },
  },
  on_spawn = dance,
  commands = {
    dance = { help = "dance, again and again", run = dance },
    walk = { help = "walk", run = only "walk" },
    pirouette = { help = "turn, four times a second", run = only "pirouette" },
    kick = { help = "kick, left and right", run = only "kick" },
    leap = { help = "leap, again and again", run = only "leap" },
  },
}
