-- The shape of a whole jacket round the cloth of its lower part: body, sleeves, collar, lapels, pockets, buttons and
-- lining, one surface from the neck to the hem.
--
-- The body is a grid. Its lower rows are those of the cloth, and its columns run up from there, over breast and back to
-- the neckline; on each side the armhole is cut out of it, and the sleeve begins with the armhole's edge. The points
-- above the waist are told for the left side, in metres on the human of rigs/human.lua, and fitted to the body: heights
-- by its levels, widths by its shoulders.

local new_cage = require "garments.cage"
local vector = require "rigs.vector"

local HIPS, SHOULDERS, WIDTH, DEPTH = .899, 1.303, .185, -.034 -- of the human: levels 0 and 1, half the way between
                                                               -- the shoulder joints, and how far back these are
local UPPER = 7        -- rows above the waist
local COLUMNS = 17     -- from the left edge in front round the back
local MIDDLE = 9       -- the column down the back
-- How far behind the cloth's first rows are drawn outside of it, m at size 1, by rows and by columns as parts: it hangs
-- from the shoulder blades, not from the waist.
local BEHIND, ACROSS = { .009, .008, .004 }, { [6] = .6, [7] = 1, [8] = .9, [9] = .8 }
local OVERLAP, LAYERS = .008, .003 -- m by which the sides of a slit overlap, and lie off the cloth's middle

-- Rows from the neckline down, columns from the left edge in front to the middle of the back: x, y, z.
local POINTS = {
  { { .064, 1.345, .030 }, { .069, 1.357, .015 }, { .073, 1.367, .002 }, { .076, 1.376, -.013 }, { .077, 1.382, -.034 },
    { .071, 1.385, -.058 }, { .055, 1.383, -.077 }, { .030, 1.379, -.089 }, { .000, 1.377, -.093 } },
  { { .066, 1.325, .060 }, { .083, 1.340, .048 }, { .104, 1.357, .028 }, { .130, 1.372, .000 }, { .138, 1.377, -.036 },
    { .130, 1.373, -.073 }, { .098, 1.357, -.104 }, { .052, 1.347, -.120 }, { .000, 1.344, -.125 } },
  { { .066, 1.302, .084 }, { .092, 1.313, .080 }, { .130, 1.323, .062 }, { .184, 1.339, .014 }, { .198, 1.350, -.036 },
    { .187, 1.340, -.084 }, { .140, 1.322, -.115 }, { .072, 1.315, -.136 }, { .000, 1.314, -.140 } },
  { { .064, 1.276, .101 }, { .094, 1.284, .098 }, { .136, 1.293, .078 }, { .176, 1.300, .030 }, false,
    { .181, 1.300, -.093 }, { .141, 1.291, -.121 }, { .074, 1.285, -.142 }, { .000, 1.284, -.147 } },
  { { .058, 1.249, .111 }, { .091, 1.254, .106 }, { .135, 1.260, .083 }, { .170, 1.262, .034 }, false,
    { .177, 1.262, -.091 }, { .139, 1.258, -.122 }, { .074, 1.254, -.144 }, { .000, 1.254, -.150 } },
  { { .052, 1.220, .117 }, { .087, 1.223, .109 }, { .129, 1.226, .084 }, { .166, 1.230, .033 }, { .183, 1.219, -.034 },
    { .171, 1.230, -.081 }, { .134, 1.226, -.119 }, { .072, 1.223, -.143 }, { .000, 1.222, -.150 } },
  { { .044, 1.186, .118 }, { .082, 1.187, .107 }, { .121, 1.189, .084 }, { .158, 1.190, .044 }, { .177, 1.188, -.016 },
    { .166, 1.190, -.068 }, { .128, 1.189, -.114 }, { .069, 1.187, -.141 }, { .000, 1.186, -.149 } },
}

-- A front that is closed up to the neck: the neckline, which lies round a shirt's collar, and the row below it; of the
-- others the first columns.
local CLOSED = {
  { { .026, 1.345, .066 }, { .052, 1.354, .052 }, { .074, 1.368, .028 }, { .090, 1.384, -.006 }, { .093, 1.390, -.034 },
    { .086, 1.392, -.064 }, { .065, 1.390, -.088 }, { .036, 1.386, -.103 }, { .000, 1.384, -.107 } },
  { { .022, 1.324, .080 }, { .066, 1.341, .068 }, { .106, 1.360, .036 }, { .132, 1.380, .002 }, { .140, 1.386, -.036 },
    { .132, 1.382, -.078 }, { .101, 1.364, -.114 }, { .054, 1.353, -.131 }, { .000, 1.350, -.135 } },
  { { .018, 1.300, .092 }, { .075, 1.312, .085 }, { .130, 1.326, .062 } },
  { { .017, 1.275, .106 }, { .080, 1.284, .100 }, { .136, 1.293, .078 } },
  { { .016, 1.248, .114 }, { .080, 1.254, .108 }, { .135, 1.260, .083 } },
  { { .016, 1.220, .119 }, { .078, 1.223, .111 }, { .129, 1.226, .084 } },
  { { .016, 1.186, .120 }, { .076, 1.187, .109 }, { .121, 1.189, .084 } },
}

-- Whose bones carry them, likewise: shares of chest, pad, breast, blade and sleeve, in percent; what is left of 100 is
-- the waist's. What is above the breast's bone, which hangs straight down, follows the chest: else the shirt would come
-- through when the wearer leans forward.
local SHARES = {
  { "c100", "c100", "c100", "c90 p10", "c90 p10", "c90 p10", "c100", "c100", "c100" },
  { "c100", "c100", "c95 p5", "c90 p10", "c88 p12", "c90 p10", "c90 b10", "c85 b15", "c85 b15" },
  { "c95 f5", "c95 f5", "c90 p10", "c69 p22 s9", "c53 p31 s16", "c54 p22 b15 s9", "c70 b20 p10", "c75 b25",
    "c75 b25" },
  { "c95 f5", "c95 f5", "c90 f5 p5", "c65 p10 f5 s20", "", "c45 p10 b25 s20", "c60 b35 p5", "c65 b35", "c65 b35" },
  { "c95 f5", "c95 f5", "c95 f5", "c70 f5 s25", "", "c40 b35 s25", "c70 b30", "c70 b30", "c70 b30" },
  { "c85 f10", "c85 f10", "c85 f10", "c70 f15 s10", "c25 f26 b36 s13", "c50 b30 s10", "c65 b25", "c65 b25", "c65 b25" },
  { "c50 f15", "c50 f15", "c50 f15", "c40 f15", "c10 f18 b17", "c35 b15", "c35 b15", "c35 b15", "c35 b15" },
}

-- Rings of a sleeve below the armhole: where its top and its underside lie along the upper arm or forearm (m at size 1
-- from the joint, or parts of the limb), half its width there, and whose bones carry it: below, and `over` the
-- shoulder, which stays where it is when the arm rises.
local SLEEVE = {
  { top = .000, under = .060, radius = .057, ease = .62, shares = "c14 p14 s50 f10 b12", over = "c40 p34 s26" },
  { top = .038, under = .076, radius = .062, ease = .9, shares = "p8 s84 f4 b4", over = "c6 p12 s82" },
  { top = .080, under = .104, radius = .061, ease = 1, shares = "s100" },
  { top = .135, under = .145, radius = .059, ease = 1, shares = "s65 t35" },
  { top = .195, under = .195, radius = .056, ease = 1, shares = "s25 t75" },
  { top = .246, under = .246, radius = .0545, ease = 1, shares = "t85 u15" },
  { top = .281, under = .281, radius = .054, ease = 1, shares = "t50 u50" },
  { forearm = .035, radius = .0535, shares = "t15 u85" },
  { forearm = .085, radius = .052, shares = "u80 v20" },
  { forearm = .130, radius = .0495, shares = "u35 v65" },
  { forearm = .165, radius = .0475, shares = "v100" },
  { forearm = .188, radius = .0465, shares = "v100" },
}

local function mixed(list) -- { { weights, share }, ... }
  local sum = {}
  for _, item in ipairs(list) do
    for bone, share in pairs(item[1]) do
      local part = share * item[2]
      if part > 0 then sum[bone] = (sum[bone] or 0) + part end
    end
  end
  return sum
end

-- The sum of shares, which is the same in whatever order pairs gives them.
local function total(weights)
  local shares, sum = {}, 0
  for _, share in pairs(weights) do shares[#shares + 1] = share end
  table.sort(shares)
  for _, share in ipairs(shares) do sum = sum + share end
  return sum
end

-- The four largest, with the same sum.
local function largest(weights)
  local bones, kept, sum = {}, 0, total(weights)
  for bone in pairs(weights) do bones[#bones + 1] = bone end
  table.sort(bones, function(a, b) return weights[a] > weights[b] or weights[a] == weights[b] and a < b end)
  for i = 1, math.min(4, #bones) do kept = kept + weights[bones[i]] end
  local result = {}
  for i = 1, math.min(4, #bones) do result[bones[i]] = weights[bones[i]] * sum / kept end
  return result
end

-- What fits the points to a body.
local function new_fit(man)
  local fit = { man = man }
  local middle = vector.mix((man:at "left_upper_arm"), (man:at "right_upper_arm"), .5)

  -- sign: 1 on the left, -1 on the right.
  function fit.point(point, sign)
    local x, y, z = table.unpack(point)
    local level = (y - HIPS) / (SHOULDERS - HIPS)
    local joint = man:at((sign > 0 and "left" or "right") .. "_upper_arm")
    local near = math.max(0, math.min(1, (level - .7) / .25)) -- to the shoulder, not the waist
    local side = math.abs(joint[1] - middle[1]) / WIDTH
    local out = math.min(1, x / WIDTH) -- from the middle to the shoulder
    return {
      middle[1] * near + sign * x * (man.size + (side - man.size) * near),
      man:level(level) + (joint[2] - middle[2]) * near * out,
      middle[3] + (z - DEPTH) * man.size,
    }
  end

  -- The bones of a text like "c40 f60" on that side; in the middle those of both sides share.
  function fit.shares(text, sign, is_middle)
    local weights, sides = {}, is_middle and { "left", "right" } or { sign > 0 and "left" or "right" }
    for key, percent in text:gmatch "(%a)(%d+)" do
      for _, side in ipairs(sides) do
        local bone = ({ c = man.bone.chest, p = "pad_" .. side, f = "breast_" .. side, b = "blade_" .. side,
                        s = "sleeve_" .. side, t = "sleeve_twist_" .. side, u = "cuff_" .. side,
                        v = "cuff_twist_" .. side })[key]
        weights[bone] = (weights[bone] or 0) + percent / 100 / #sides
      end
    end
    return weights
  end
  return fit
end

-- Where the columns of the body's grid lie on the cloth, counted from 0, which may have more columns or fewer: a list
-- of { left, right }, which differ at a slit, with `row`, the first on its two sides. Slits lie on borders of panels.
local function columns_on(cloth)
  local slits = cloth.slits or {}
  local last, map, anchors = cloth.columns - 1 - #slits, {}, { { 1, 0, 0 } }
  for i, slit in ipairs(slits) do
    local at = 1 + (slit.column - i + 1) / last * (COLUMNS - 1)
    local border = at < 7 and 5 or at < 11 and MIDDLE or 13
    anchors[#anchors + 1] = { border, slit.column, slit.column + 1, slit.row }
  end
  anchors[#anchors + 1] = { COLUMNS, cloth.columns - 1, cloth.columns - 1 }
  for i = 2, #anchors do
    local from, to = anchors[i - 1], anchors[i]
    for column = from[1], to[1] do
      local at = from[3] + (to[2] - from[3]) * (column - from[1]) / (to[1] - from[1])
      map[column] = { at, at }
    end
  end
  for i = 2, #anchors - 1 do
    local border, left, right, row = table.unpack(anchors[i])
    map[border] = { left, right, row = row }
  end
  return map
end

local function on_cloth(cloth, at)
  local left = math.min(cloth.columns - 2, math.floor(at))
  return left, at - left
end

-- Weights of the bones at the waist, at a column of the cloth.
local function waist_of(cloth, at)
  if type(cloth.attach) == "string" then return { [cloth.attach] = 1 } end
  local left, share = on_cloth(cloth, at)
  return mixed { { cloth.attach[left + 1], 1 - share }, { cloth.attach[left + 2], share } }
end

-- points: the cloth's positions, or its pattern.
local function cloth_point(cloth, points, row, at)
  local left, share = on_cloth(cloth, at)
  local first = row * cloth.columns + left + 1
  return vector.mix(points[first], points[first + 1], share)
end

-- Where a point of the cloth is drawn.
local function drawn(man, position, row, from)
  local off = (BEHIND[row + 1] or 0) * (ACROSS[from] or 0) * man.size
  if off == 0 then return position end
  local out = vector.unit({ position[1], 0, position[3] - man:at("left_upper_arm")[3] })
  return vector.add(position, vector.scale(out, off))
end

-- One side of a slit, which the left one overlaps.
local function edge_of_slit(cloth, points, row, at, way)
  local point = cloth_point(cloth, points, row, at)
  local inner = cloth_point(cloth, points, row, at - .5 * way)
  local along = vector.subtract(point, inner)
  local normal = vector.scale(vector.cross({ 0, 1, 0 }, along), way / vector.length(along))
  along = vector.scale(along, OVERLAP / vector.length(along))
  return vector.add(vector.add(point, along), vector.scale(normal, -way * LAYERS))
end

-- The grid of the body: rows of { position, cut, weights, place }, with `twin`, the right side of a slit.
local function body_grid(fit, cloth, front)
  local grid, map, pattern = {}, columns_on(cloth), cloth.pattern or cloth.positions
  local function side_of_slit(row, at, way)
    return { position = edge_of_slit(cloth, cloth.positions, row, at, way),
             cut = edge_of_slit(cloth, pattern, row, at, way), place = { row, at }, weights = {} }
  end
  local function told(row, from) return front == "closed" and CLOSED[row][from] or POINTS[row][from] end
  for row = 1, UPPER + cloth.rows do
    grid[row] = {}
    for column = 1, COLUMNS do
      local sign, from = column <= MIDDLE and 1 or -1, column <= MIDDLE and column or COLUMNS + 1 - column
      local below = row - UPPER - 1 -- from 0: the row of the cloth
      local on = map[column]
      local middle = (on[1] + on[2]) / 2
      if below >= 0 and on.row and below >= on.row then
        grid[row][column] = side_of_slit(below, on[1], 1)
        grid[row][column].twin = side_of_slit(below, on[2], -1)
      elseif below >= 0 then
        grid[row][column] = {
          position = drawn(fit.man, cloth_point(cloth, cloth.positions, below, middle), below, from),
          place = { below, middle },
          cut = cloth_point(cloth, pattern, below, middle),
          weights = below == 0 and mixed { { waist_of(cloth, middle), .5 } } or {},
        }
      elseif told(row, from) then
        local own = fit.shares(SHARES[row][from], sign, from == MIDDLE)
        grid[row][column] = {
          position = fit.point(told(row, from), sign), place = { below, middle },
          weights = largest(mixed { { own, 1 }, { waist_of(cloth, middle), 1 - total(own) } }),
        }
      else
        grid[row][column] = false
      end
    end
  end
  return grid, map
end

-- How far the body hides what is below, m: not along its front, where one looks in, nor where it swings. From the waist
-- down the fronts swing open as far as the hips, and the back does not.
local function cover(row, column)
  local from_edge = math.min(column, COLUMNS + 1 - column)
  if row == 1 then return from_edge > 4 and .09 or 0 end
  if from_edge < 3 or row > UPPER + 3 then return 0 end
  if row > UPPER + 1 then return from_edge > 6 and .09 or 0 end
  return from_edge < 4 and .05 or .09
end

-- Adds the body in four panels: the fronts, and the halves of the back.
local function add_body(cage, grid)
  local function add(point, row, column)
    return point and cage:point(point.position, point.weights, point.place, nil, cover(row, column), point.cut)
  end
  local ids, twins = {}, {}
  for row = 1, #grid do
    ids[row], twins[row] = {}, {}
    for column = 1, COLUMNS do
      local point = grid[row][column]
      ids[row][column] = add(point, row, column)
      twins[row][column] = point and point.twin and add(point.twin, row, column)
    end
  end
  for first = 1, COLUMNS - 4, 4 do
    local panel = {}
    for row = 1, #ids do
      panel[row] = { table.unpack(ids[row], first, first + 4) }
      panel[row][1] = twins[row][first] or panel[row][1]
    end
    cage:grid(panel)
  end
  return ids
end

-- The points of an armhole's edge, from the shoulder over the front.
local function armhole(ids, sign)
  local function at(row, column) return ids[row][sign > 0 and column or COLUMNS + 1 - column] end
  return { at(3, 5), at(3, 4), at(4, 4), at(5, 4), at(6, 4), at(6, 5), at(6, 6), at(5, 6), at(4, 6), at(3, 6) }
end

local function add_sleeve(cage, fit, ids, side, sign)
  local man, data = fit.man, cage.data
  local shoulder, elbow, wrist = man:at(side .. "_upper_arm"), (man:at(side .. "_lower_arm")), (man:at(side .. "_hand"))
  local function frame(from, to)
    local along = vector.subtract(to, from)
    local length = vector.length(along)
    along = vector.scale(along, 1 / length)
    local up = vector.cross({ 0, 0, 1 }, along)
    if up[2] < 0 then up = vector.scale(up, -1) end
    up = vector.unit(up)
    return along, up, vector.cross(along, up), length
  end
  local along, up, across, length = frame(shoulder, elbow)
  if across[3] < 0 then across = vector.scale(across, -1) end
  local lower, lower_up, lower_across, lower_length = frame(elbow, wrist)
  if lower_across[3] < 0 then lower_across = vector.scale(lower_across, -1) end

  local rings = { armhole(ids, sign) }
  local starts = {} -- of each of the ring's points: along the arm, and from its axis
  for i, id in ipairs(rings[1]) do
    local off = vector.subtract(data.points[id], shoulder)
    starts[i] = { vector.dot(off, along), vector.dot(off, up), vector.dot(off, across) }
  end
  local count = #starts
  for k, ring in ipairs(SLEEVE) do
    rings[k + 1] = {}
    for i = 1, count do
      local angle = (i - 1) / count * 2 * math.pi
      local position
      if ring.forearm then
        local s = ring.forearm / .196 * lower_length
        local r = ring.radius * man.size
        position = vector.add(vector.add(elbow, vector.scale(lower, s)),
          vector.add(vector.scale(lower_up, r * math.cos(angle)), vector.scale(lower_across, r * math.sin(angle))))
      else
        local under = (1 - math.cos(angle)) / 2
        local s = (ring.top + (ring.under - ring.top) * under) / .281 * length
        local r = ring.radius * man.size
        local y, z = r * math.cos(angle), r * math.sin(angle)
        local e, start = ring.ease, starts[i]
        y, z = start[2] + (y - start[2]) * e, start[3] + (z - start[3]) * e
        position = vector.add(vector.add(shoulder, vector.scale(along, s)),
          vector.add(vector.scale(up, y), vector.scale(across, z)))
      end
      local weights, above = fit.shares(ring.shares, sign), ((1 + math.cos(angle)) / 2) ^ 1.5
      if ring.over then
        weights = largest(mixed { { weights, 1 - above }, { fit.shares(ring.over, sign), above } })
      end
      rings[k + 1][i] = cage:point(position, weights, nil, nil, k < #SLEEVE - 2 and .09 or 0)
    end
  end
  local panel = {} -- cut along the underside
  for k, ring in ipairs(rings) do
    panel[k] = {}
    for i = 0, count do panel[k][i + 1] = ring[(i + 5) % count + 1] end
  end
  cage:grid(panel, sign > 0)
  return rings
end

-- What lies on the body: places on its grid, counted as its rows and columns, from 1.
local function new_ground(grid, map)
  local ground = {}

  local function at(row, column)
    row, column = math.max(1, math.min(#grid, row)), math.max(1, math.min(COLUMNS, column))
    while not grid[row][column] do column = column + (column < MIDDLE and -1 or 1) end -- in the armhole: in front of it
    return grid[row][column]
  end

  local function place_of(column)
    local c = math.max(1, math.min(COLUMNS - 1, math.floor(column)))
    return map[c][2] + (map[c + 1][1] - map[c][2]) * (column - c)
  end

  local function spline(t) -- Catmull and Rom's: shares of four points, the second and third round t
    local t2, t3 = t * t, t * t * t
    return { (2 * t2 - t - t3) / 2, (3 * t3 - 5 * t2 + 2) / 2, (t + 4 * t2 - 3 * t3) / 2, (t3 - t2) / 2 }
  end

  local function position(row, column)
    local r, c = math.floor(row), math.floor(column)
    local down, across = spline(row - r), spline(column - c)
    local x, y, z = 0, 0, 0
    for i = 1, 4 do
      for k = 1, 4 do
        local from, share = at(r + i - 2, c + k - 2).position, down[i] * across[k]
        x, y, z = x + share * from[1], y + share * from[2], z + share * from[3]
      end
    end
    return { x, y, z }
  end

  function ground.normal(row, column)
    local down = vector.subtract(position(row + .05, column), position(row - .05, column))
    local across = vector.subtract(position(row, column + .05), position(row, column - .05))
    local normal = vector.cross(across, vector.scale(down, -1))
    return vector.unit(normal)
  end

  -- The point of the surface at a place, moved along the normal by so many m: position, weights, place.
  function ground.point(row, column, off)
    local here, normal = position(row, column), ground.normal(row, column)
    local r, c = math.floor(row), math.floor(column)
    local y, x = row - r, column - c
    local weights = largest(mixed {
      { at(r, c).weights, (1 - y) * (1 - x) }, { at(r, c + 1).weights, (1 - y) * x },
      { at(r + 1, c).weights, y * (1 - x) }, { at(r + 1, c + 1).weights, y * x },
    })
    return vector.add(here, vector.scale(normal, off or 0)), weights, { row - UPPER - 1, place_of(column) }
  end

  -- The column that is so many m from the left edge in front, and how many m it is short of where that is outside.
  function ground.column(row, width)
    if width < 0 then return 1, width end
    local column, here = 1, position(row, 1)
    while column < COLUMNS do
      local there = position(row, column + .25)
      local step = vector.length(vector.subtract(there, here))
      if step >= width then return column + .25 * width / step, 0 end
      width, column, here = width - step, column + .25, there
    end
    return column, 0
  end
  return ground
end

-- The body and the sleeves as one cage, the ground for what lies on them, and the rings of points of the sleeves.
--   cloth   the lower part, whose top row is attached to the bones of garments/jacket_upper.lua
--   front   "lapels", or "closed" up to the neck
return function(man, cloth, front)
  local fit = new_fit(man)
  local cage = new_cage(.004)
  local grid, map = body_grid(fit, cloth, front)
  local ids = add_body(cage, grid)
  local sleeves = {
    left = add_sleeve(cage, fit, ids, "left", 1), right = add_sleeve(cage, fit, ids, "right", -1),
  }
  return cage, new_ground(grid, map), sleeves
end
