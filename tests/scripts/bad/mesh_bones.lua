-- Render meshes that name bones and garments which the character does not have.
local tweed = require "tweed"

local square = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } }

local function badge(name, weights, garment)
  return tweed.mesh {
    name = name, positions = square, triangles = { { 1, 2, 3 } }, weights = weights, garment = garment,
  }
end

return tweed.character {
  skeleton = tweed.skeleton { { name = "hips" } },
  meshes = {
    badge("typo", "hip"),
    badge("cloth", { { hips = 1 }, { hips = 1, rope_0_0 = 1 }, { rope_1_0 = 1 }, { rope_5_0 = .5, hips = 1 } }),
    badge("other", "hips", "rop"),
    badge("other", "hips"),
  },
  garments = {
    tweed.chain {
      name = "rope", bone = "hips", fabric = "cotton", points = { { 0, 0, 0 }, { 0, -.2, 0 }, { 0, -.4, 0 } },
      meshes = { badge("own", "rope_0_0", "rope") },
    },
  },
}
