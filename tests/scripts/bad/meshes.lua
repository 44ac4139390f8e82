-- Render meshes whose parts do not fit together.
local tweed = require "tweed"

local square = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } }
local halves = { { 1, 2, 3 }, { 1, 3, 4 } }

local function badge(change)
  local options = { name = "badge", positions = square, triangles = halves, weights = "hips" }
  for key, value in pairs(change) do options[key] = value end
  return tweed.mesh(options)
end

return tweed.character {
  skeleton = tweed.skeleton { { name = "hips" } },
  meshes = {
    badge { name = "centimetres", positions = { { 0, 0, 0 }, { 120, 0, 0 }, { 120, 90, 0 }, { 0, 90, 0 } } },
    badge { name = "corner", triangles = { { 1, 2, 3 }, { 1, 3, 5 } } },
    badge { name = "from_zero", triangles = { { 0, 1, 2 }, { 0, 2, 3 } } },
    badge { name = "flat", normals = { { 0, 0, 0 }, { 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 1 } } },
    badge { name = "few_uvs", uvs = { { 0, 0 }, { 1, 0 } } },
    badge { name = "few_weights", weights = { { hips = 1 } } },
    badge { name = "no_weight", weights = { { hips = 1 }, { hips = 0 }, {}, { hips = 1 } } },
    badge { name = "minus", weights = { { hips = 1 }, { hips = -1 }, { hips = 1 }, { hips = 1 } } },
    badge { name = "torn", positions = "seven b" },
    badge { name = "packed", weights = { bones = { "hips" }, joints = ("\1\0"):rep(16), shares = "" } },
    badge { name = "outside", weights = { bones = { "hips" }, joints = ("\2\0"):rep(16), shares = ("\0\0\128\63"):rep(16) } },
    badge { name = "kind", weights = 3 },
    badge { name = "dull", material = { color = { 2, 0, 0 }, roughness = 2, pattern = "tartan" } },
    badge { name = "nothing", positions = {} },
    badge { name = "thick", covers = 5 },
    badge { name = "thick_corner", covers = { .1, -.1, .1, .1 } },
    badge { name = "few_covers", covers = { .1, .1 } },
    { name = "plain_table" },
  },
}
