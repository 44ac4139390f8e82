local tweed = require "tweed"

local weights = {}
for i = 1, 8 do weights[i] = { Hips = 1 } end
return tweed.surface {
  points = { { 0, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 }, { 1, 0, 0 }, { -1, 1, 0 }, { -1, 0, 0 }, { 0, 1, 1 }, { 0, 0, 1 } },
  quads = { { 1, 4, 3, 2 }, { 1, 2, 5, 6 }, { 1, 2, 7, 8 } }, weights = weights,
}
