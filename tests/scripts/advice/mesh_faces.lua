-- Cloth from meshes whose faces point to the body, or that lie beside it.
local tweed = require "tweed"

-- A ring of 8 columns, or half of one, and two rows; turned: -1 for faces that point inward. place:
-- where its points go.
local function tube(name, columns, turned, place)
  local positions, triangles = {}, {}
  for i = 0, 2 * columns - 1 do
    local angle = math.pi * (i % columns) / 4
    local point = { -.2 * math.sin(angle), 1.4 - i // columns * .1, -.2 * math.cos(angle) }
    positions[i + 1] = place and place(point) or point
  end
  for i = 1, columns == 8 and 8 or columns - 1 do
    local right = i % columns + 1
    for _, face in ipairs { { i, i + columns, right + columns }, { i, right + columns, right } } do
      if turned < 0 then face[2], face[3] = face[3], face[2] end
      triangles[#triangles + 1] = face
    end
  end
  return tweed.cloth {
    name = name, fabric = "silk", attach = "chest",
    mesh = tweed.mesh { name = name, positions = positions, triangles = triangles, weights = "chest" },
  }
end

return tweed.character {
  skeleton = tweed.skeleton { { name = "chest", position = { 0, 1.4, 0 } } },
  garments = { tube("ring", 8, -1), tube("cape", 5, -1), tube("good ring", 8, 1), tube("good cape", 5, 1),
               tube("z up", 8, 1, function(p) return { p[1], -p[3], p[2] } end),
               tube("far", 8, 1, function(p) return { p[1] + 2, p[2], p[3] } end) },
}
