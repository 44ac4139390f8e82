-- A character so small that a world with it is made for each fuzzed input, under the names that
-- protocol/samples use.
local tweed = require "tweed"

local points = {}
for row = 0, 2 do
  for column = 0, 2 do points[#points + 1] = { column * .1, 1 - row * .1, 0 } end
end

return tweed.character {
  skeleton = tweed.skeleton { { name = "Hips", position = { 0, 1, 0 } },
                              { name = "LeftForeArm", parent = "Hips", position = { .2, .3, 0 } } },
  garments = {
    tweed.cloth { name = "jacket", fabric = "plain", rows = 3, columns = 3, positions = points, attach = "Hips",
                  max_distance = { top = 0, bottom = .2 }, bones = { prefix = "jacket_" } },
  },
  clips = {
    walk = tweed.clip { duration = 1, sample = function(t) return { Hips = { position = { 0, 1 + .1 * t, 0 } } } end },
  },
  commands = {
    walk = { help = "walk", run = function(self) self:play("walk", { loop = true }) end },
    echo = { help = "give back what is given", run = function(_, given) return given end },
    fail = { help = "raise", run = function() error("it fails") end },
  },
}
