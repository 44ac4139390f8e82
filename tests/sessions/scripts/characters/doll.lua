-- A character with the least of everything: two bones, a cloth with a seam, a clip, commands.
local tweed = require "tweed"

local points = {}
for row = 0, 2 do
  for column = 0, 2 do points[#points + 1] = { column * .1, 1 - row * .1, column == 1 and .08 or 0 } end
end

return tweed.character {
  skeleton = tweed.skeleton { { name = "Hips", position = { 0, 1, 0 } },
                              { name = "Arm", parent = "Hips", position = { .2, .3, 0 } } },
  garments = {
    tweed.cloth { name = "cape", fabric = "plain", rows = 3, columns = 3, positions = points, attach = "Hips",
                  max_distance = { top = 0, bottom = .2 }, bones = { prefix = "cape_" } },
  },
  seams = { tweed.seam { "cape", name = "front", column = 0, to = { "cape", column = 2 } } },
  clips = {
    walk = tweed.clip { duration = 1, sample = function(t) return { Hips = { position = { 0, 1 + .1 * t, 0 } } } end },
  },
  commands = {
    walk = { help = "walk", run = function(self) self:play("walk", { loop = true }) end },
    echo = { help = "give back what is given", run = function(_, given) return given end },
    fail = { help = "raise", run = function() error("it fails") end },
  },
}
