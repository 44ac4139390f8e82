-- Meshes that cannot be bound to cloth.
local tweed = require "tweed"

local skeleton = tweed.skeleton { { name = "hips", position = { 0, 1, 0 } } }
local square = { { 0, 1, 0 }, { .3, 1, 0 }, { .3, .7, 0 }, { 0, .7, 0 } }
local sheet = tweed.mesh {
  name = "sheet", positions = square, triangles = { { 1, 4, 3 }, { 1, 3, 2 } }, weights = "hips",
}
local far = tweed.mesh {
  name = "far", positions = { { 0, 1, 3 }, { 1, 1, 3 }, { 1, 2, 3 } }, triangles = { { 1, 2, 3 } }, weights = "hips",
}
local apron = tweed.cloth { name = "apron", fabric = "cotton", attach = "hips", mesh = sheet }
local flag = tweed.cloth { name = "flag", fabric = "cotton", attach = "hips", rows = 2, columns = 2, positions = {} }

return tweed.character {
  skeleton = skeleton,
  meshes = {
    tweed.bind_mesh { name = "alone", mesh = sheet },
    tweed.bind_mesh { name = "both", mesh = sheet, skeleton = skeleton, cloth = apron },
    tweed.bind_mesh { name = "far", mesh = far, cloth = apron },
    tweed.bind_mesh { name = "few", mesh = sheet, cloth = flag },
    tweed.bind_mesh { name = "kind", mesh = sheet, cloth = skeleton },
  },
  garments = { apron },
}
