-- General meshes: a disc of triangles about a bone, with a hole at the neck.
local tweed = require "tweed"

local function disc(name, place, turned)
  local positions, triangles = {}, {}
  for ring = 0, 2 do
    for i = 0, 6 do
      local angle, radius = 2 * math.pi * (i + .5 * ring) / 7, .1 + .08 * ring
      positions[#positions + 1] = place { radius * math.sin(angle), 1.4 - .11 * ring, radius * math.cos(angle) }
    end
  end
  for ring = 0, 1 do
    for i = 0, 6 do
      local a, b = 7 * ring + i + 1, 7 * ring + (i + 1) % 7 + 1
      for _, face in ipairs { { a, a + 7, b }, { b, a + 7, b + 7 } } do
        if turned then face[2], face[3] = face[3], face[2] end
        if not (ring == 1 and i == 3) then triangles[#triangles + 1] = face end
      end
    end
  end
  return tweed.cloth {
    name = name, fabric = "silk", attach = "chest", general = true,
    mesh = tweed.mesh { name = name, positions = positions, triangles = triangles, weights = "chest" },
  }
end

local function as_is(point) return point end

return tweed.character {
  skeleton = tweed.skeleton { { name = "chest", position = { 0, 1.4, 0 } } },
  garments = {
    disc("good", as_is), disc("inward", as_is, true),
    disc("far", function(p) return { p[1] + 2, p[2], p[3] } end),
    disc("z up", function(p) return { p[1], -p[3], p[2] } end),
    tweed.cloth {
      name = "held", fabric = "silk", attach = "chest",
      mesh = tweed.import_mesh { file = "bib.obj", paint = function() return { pin = true } end },
    },
    tweed.cloth {
      name = "misspelled", fabric = "silk", attach = "chest",
      mesh = tweed.import_mesh { file = "bib.obj", paint = function(vertex)
        return { pin = vertex.material == "colar", max_distance = .1 }
      end },
    },
  },
}
