-- The render mesh of a cloth with a yoke: rows above its first that are skinned, and one surface with it.
--
--   cloth.meshes = yoke(cloth, function(row, column) return position, weights end, 3, { .08, .05, .025 })
--
-- Rows of the yoke run from 1, its upper edge, down to `rows`, columns from 1 as the cloth's. `back` is how far, in m,
-- the cloth's first rows are drawn back at the sides, where shoulders would come through.

local tweed = require "tweed"
local new_cage = require "garments.cage"

local LAST = .5 -- share of the bones in the cloth's first row, which blends yoke and cloth

return function(cloth, point, rows, back)
  local cage, pattern = new_cage(.003), cloth.pattern or cloth.positions
  local columns = cloth.columns + (cloth.closed and 1 or 0) -- a ring's last column lies on its first
  local ids = cage:points(rows + cloth.rows, columns, function(row, at)
    local column, below = (at - 1) % cloth.columns + 1, row - rows - 1
    if row <= rows then
      local position, weights = point(row, column)
      return position, weights, { below, at - 1 }
    end
    local x, y, z = table.unpack(cloth.positions[below * cloth.columns + column])
    local side = math.max(0, math.abs(4 * (column - 1) / (cloth.columns - 1) - 2) - 1) -- 0 in the middle half
    return { x, y, z - side * (back and back[below + 1] or 0) }, below == 0 and { [cloth.attach] = LAST } or {},
      { below, at - 1 }
  end)
  for row = 1, cloth.rows do
    for at = 1, columns do
      local column = (at - 1) % cloth.columns + 1
      cage.data.pattern[ids[rows + row][at]] = pattern[(row - 1) * cloth.columns + column]
    end
  end
  cage:grid(ids)
  local surface = tweed.surface(cage:surface { cloth = cloth, sides = "both", levels = 2 })
  surface.name, surface.covers = cloth.name, nil
  return { tweed.mesh(surface) }
end
