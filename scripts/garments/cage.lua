-- A cage of quads for tweed.surface, put together from points and grids.
--
--   local cage = new_cage()
--   local ids = cage:points(rows, columns, function(row, column) return position, weights, place end)
--   cage:grid(ids)
--   local cloth = tweed.surface(cage:surface { thickness = .003 })
--
-- Rows run down the warp, columns along the weft; seen from outside, columns run to the right and rows down.

local tweed = require "tweed"
local vector = require "rigs.vector"

local Cage = {}
Cage.__index = Cage

local PANEL = 10 -- m between panels, so that none shares an uv with another

-- Adds a point: where it is, the shares of its bones, its {row, column} on the cloth if there is one, how thick the
-- cloth is there, how far it hides the skin, and where it is in the cloth as it is cut. Returns its number.
function Cage:point(position, weights, place, thickness, covers, cut)
  local all = self.data
  local count = #all.points + 1
  all.points[count], all.weights[count] = position, weights
  all.places[count], all.thickness[count] = place or { 0, 0 }, thickness or self.thickness
  all.covers[count] = covers or self.covers
  all.pattern[count] = cut or position
  return count
end

-- Adds points row by row, of which a function gives what Cage:point takes; where it gives no position there is none,
-- and false in the list. Returns their numbers as a list of rows.
function Cage:points(rows, columns, make)
  local ids = {}
  for row = 1, rows do
    ids[row] = {}
    for column = 1, columns do
      local position, weights, place, thickness, covers = make(row, column)
      ids[row][column] = position and self:point(position, weights, place, thickness, covers) or false
    end
  end
  return ids
end

local function mean_lengths(points, ids, rows, columns, down)
  local sums, at = {}, 0
  local outer, inner = down and rows or columns, down and columns or rows
  for i = 1, outer do
    local sum, count = 0, 0
    for k = 1, i > 1 and inner or 0 do
      local a = down and ids[i - 1][k] or not down and ids[k][i - 1]
      local b = down and ids[i][k] or not down and ids[k][i]
      if a and b then
        sum, count = sum + vector.length(vector.subtract(points[b], points[a])), count + 1
      end
    end
    at = at + (count > 0 and sum / count or 0)
    sums[i] = at
  end
  return sums
end

-- Adds the quads of a grid of points as a panel of its own. Quads without one of their points are left out.
-- `mirrored`: columns run to the left, seen from outside. `uvs`: rows of the points' {u, v}, for a cage that is not
-- laid flat; by default from the lengths of rows and columns.
function Cage:grid(ids, mirrored, uvs)
  local rows, columns, all = #ids, #ids[1], self.data
  local u, v = mean_lengths(all.points, ids, rows, columns), mean_lengths(all.points, ids, rows, columns, true)
  local off = PANEL * self.panels
  self.panels = self.panels + 1
  local function corner(row, column)
    if uvs then return off + uvs[row][column][1], uvs[row][column][2] end
    return off + (mirrored and -u[column] or u[column]), -v[row]
  end
  for row = 1, rows - 1 do
    for column = 1, columns - 1 do
      local near, far = mirrored and column + 1 or column, mirrored and column or column + 1
      local a, b, c, d = ids[row + 1][near], ids[row + 1][far], ids[row][far], ids[row][near]
      if a and b and c and d then
        local count = #all.quads + 1
        all.quads[count] = { a, b, c, d }
        local au, av = corner(row + 1, near)
        local bu, bv = corner(row + 1, far)
        local cu, cv = corner(row, far)
        local du, dv = corner(row, near)
        all.uvs[count] = { au, av, bu, bv, cu, cv, du, dv }
      end
    end
  end
end

-- Adds a grid as several panels, cut at these rows and columns: bent both ways, it does not lie flat as one.
function Cage:cut_grid(ids, rows, columns, mirrored)
  local function ranges(cuts, count)
    local list, from = {}, 1
    for _, at in ipairs(cuts) do list[#list + 1], from = { from, at }, at end
    list[#list + 1] = { from, count }
    return list
  end
  for _, down in ipairs(ranges(rows, #ids)) do
    for _, across in ipairs(ranges(columns, #ids[1])) do
      local panel = {}
      for row = down[1], down[2] do panel[#panel + 1] = { table.unpack(ids[row], across[1], across[2]) } end
      self:grid(panel, mirrored)
    end
  end
end

-- The cage in the form that tweed.surface takes, with more of its fields.
function Cage:surface(fields)
  local all = { points = self.data.points, quads = self.data.quads, uvs = self.data.uvs,
                weights = self.data.weights, places = self.data.places, thickness = self.data.thickness,
                covers = self.data.covers, pattern = self.data.pattern }
  for key, value in pairs(fields or {}) do all[key] = value end
  return all
end

-- A mesh of the cage's smooth surface. `fields`: more of tweed.surface's, if any.
function Cage:mesh(name, material, fields)
  local surface = tweed.surface(self:surface(fields))
  surface.name, surface.material = name, material
  return tweed.mesh(surface)
end

-- thickness, covers: m, of points that are not told theirs.
return function(thickness, covers)
  return setmetatable({
    thickness = thickness or .003, covers = covers or 0, panels = 0,
    data = { points = {}, quads = {}, uvs = {}, weights = {}, places = {}, thickness = {}, covers = {}, pattern = {} },
  }, Cage)
end
