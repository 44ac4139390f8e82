-- Cloth from meshes that are no grid, and beside a grid of its own.
local tweed = require "tweed"

local square = { { 0, 1, 0 }, { .3, 1, 0 }, { .3, .7, 0 }, { 0, .7, 0 }, { .15, .85, 0 } }

local function cloth(name, triangles, change)
  local options = {
    name = name, fabric = "cotton", attach = "hips",
    mesh = tweed.mesh { name = name, positions = square, triangles = triangles, weights = "hips" },
  }
  for key, value in pairs(change or {}) do options[key] = value end
  return tweed.cloth(options)
end

local whole = { { 1, 3, 2 }, { 1, 4, 3 } }

return tweed.character {
  skeleton = tweed.skeleton { { name = "hips", position = { 0, 1, 0 } } },
  garments = {
    cloth("half", { { 1, 3, 2 } }, { general = false }),
    cloth("cross", { { 1, 5, 2 }, { 2, 5, 3 }, { 3, 5, 4 }, { 4, 5, 1 } }, { self_collision = .01 }),
    cloth("both", whole, { rows = 2, closed = true, slits = {} }),
    cloth("round", whole, { rows = 3, columns = 3, positions = square }),
    cloth("flat", { { 1, 4, 2 } }, { rows = 4, columns = 4 }),
    cloth("typo", whole, { mesh = "apron.obj" }),
    cloth("wide", whole, { weld = 1 }),
    cloth("welded", whole, { weld = .1, attach = "hip" }),
  },
}
