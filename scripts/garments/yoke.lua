-- The render mesh of a cloth with a yoke: rows above its first that are skinned, and one surface with it.
--
--   cloth.meshes = yoke(cloth, function(row, column) return position, weights end, {
--     rows = 3, held = { .5, .25 }, moved = function(row, column, position) return position end })
--
-- Rows of the yoke run from 1, its upper edge, down to `rows`, columns from 1 as the cloth's. `held` are the shares
-- that the cloth's first rows keep of the bone that it is attached to, which blends yoke and cloth; `moved` gives where
-- these rows are drawn at rest. `thickness`: m, of all. `lining`: the material of its inner side, which
-- is a mesh of its own then.

local tweed = require "tweed"
local new_cage = require "garments.cage"

return function(cloth, point, options)
  local rows, held, moved = options.rows, options.held or { .5 }, options.moved
  local cage, pattern = new_cage(options.thickness or .003), cloth.pattern or cloth.positions
  local columns = cloth.columns + (cloth.closed and 1 or 0) -- a ring's last column lies on its first
  local ids = cage:points(rows + cloth.rows, columns, function(row, at)
    local column, below = (at - 1) % cloth.columns + 1, row - rows - 1
    if row <= rows then
      local position, weights = point(row, column)
      return position, weights, { below, at - 1 }
    end
    local position = cloth.positions[below * cloth.columns + column]
    local share = held[below + 1]
    return moved and moved(below + 1, column, position) or position, share and { [cloth.attach] = share } or {},
      { below, at - 1 }
  end)
  for row = 1, cloth.rows do
    for at = 1, columns do
      local column = (at - 1) % cloth.columns + 1
      cage.data.pattern[ids[rows + row][at]] = pattern[(row - 1) * cloth.columns + column]
    end
  end
  cage:grid(ids)
  local function mesh(sides, name, material)
    local surface = tweed.surface(cage:surface { cloth = cloth, sides = sides, levels = 2 })
    surface.name, surface.material, surface.covers = name, material, nil
    return tweed.mesh(surface)
  end
  if not options.lining then return { mesh("both", cloth.name) } end
  return { mesh("outer", cloth.name), mesh("inner", cloth.name .. "_lining", options.lining) }
end
