local tweed = require "tweed"

return tweed.surface {
  points = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } }, quads = { { 1, 2, 3, 4 } },
  weights = { { Hips = 1 }, {}, { Hips = 1 }, { Hips = 1 } },
}
