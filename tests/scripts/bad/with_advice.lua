-- What is right is judged beside what is wrong, and what is wrong is not judged on.
local tweed = require "tweed"
local body = require "helpers.body"

local folded, twice, misread = body.points(3, 3), body.points(3, 3), body.points(3, 3)
folded[5], twice[5] = folded[2], twice[4]
misread[1], misread[2] = { 1 }, { 2 }

return tweed.character {
  skeleton = body.skeleton(),
  colliders = {
    tweed.sphere { name = "ball", bone = "Hipz", radius = 5 },
    tweed.sphere { name = "egg", bone = "Hips", radius = -1 },
  },
  garments = {
    body.cape { name = "long", max_distance = { top = .4, bottom = .2 } },
    body.cape { name = "wrong", max_distance = { top = .4, bottom = .2 }, clsoed = true },
    body.cape { name = "folded", positions = folded },
    body.cape { name = "twice", positions = twice },
    body.cape { name = "misread", positions = misread },
  },
  seams = {
    tweed.seam { "wrong", column = 0, to = { "long", column = 2 } },
    tweed.seam { "long", column = 0, to = { "long", column = 2 }, rows = { 0, 0 } },
  },
}
