-- What is sewn to a jacket's body: lapels, collar, pockets, buttons, and a hood that hangs on its back.
--
-- Everything lies on the ground of garments/jacket_shape.lua: rows from the neckline (1) to the waist (8) and on down
-- the cloth, columns from the left edge in front (1) over the middle of the back (9) to the right edge (17).

local vector = require "rigs.vector"

local COLUMNS = 17
local BREAK, GORGE = 8.5, 1.75 -- rows between which the lapels are folded back
local SLANT = 12.5             -- rows a metre by which their upper edge falls towards its tip
local LAPEL = .082             -- m, its greatest width

local trim = {}

local function on_side(side, column) return side > 0 and column or COLUMNS + 1 - column end

-- A place so many m from the edge in front; beyond it where that is negative.
local function from_edge(ground, side, row, width, off)
  local column, short = ground.column(row, width)
  local position, weights, place = ground.point(row, on_side(side, column), off)
  if short < 0 then
    local inner = ground.point(row, on_side(side, 1.3), off)
    local out = vector.subtract(position, inner)
    position = vector.add(position, vector.scale(out, -short / vector.length(out)))
  end
  return position, weights, place
end

-- Folded back from the edge in front: its underside lies on the body.
function trim.lapels(cage, ground)
  local profile = { -- from the edge: m, or a share of the width; m above the body
    { -.001, -.002 }, { -.0045, .0045 }, { .007, .0105 }, { share = .42, .0085 }, { share = .75, .007 },
    { share = 1, .0055 },
  }
  for _, side in ipairs { 1, -1 } do
    local ids = cage:points(8, #profile, function(row, column)
      local down = (row - 1) / 7
      local width = .006 + (LAPEL - .006) * (1 - down) ^ .9
      local at = profile[column]
      local from = at.share and at.share * width or at[1]
      local flat = math.min(1, (1 - down) * 5) -- at the break it runs into the edge
      local here = GORGE + (BREAK - GORGE) * down + SLANT * math.max(0, from) * (1 - down) ^ 2
      return from_edge(ground, side, here, from, (at.share and at[1] or at[2]) * flat + .001)
    end)
    cage:grid(ids, side < 0)
  end
end

-- From the left gorge round the neck to the right: where it is sewn on, how high it stands, where its edge lies.
local COLLAR = {
  { { 1.75, 1 }, stand = .002, edge = { 1.98, 3.0 }, mid = { 2.12, 2.0 } },
  { { 1.38, 1 }, stand = .006, edge = { 1.78, 3.45 } }, { { 1.05, 1 }, stand = .011, edge = { 1.70, 3.85 } },
  { { 1, 2 }, stand = .017, edge = { 1.68, 4.15 } }, { { 1, 3 }, stand = .021, edge = { 1.68, 4.45 } },
  { { 1, 4 }, stand = .024, edge = { 1.68, 4.75 } }, { { 1, 5 }, stand = .027, edge = { 1.72, 5.2 } },
  { { 1, 6 }, stand = .029, edge = { 1.76, 6.05 } }, { { 1, 7 }, stand = .030, edge = { 1.80, 7.0 } },
  { { 1, 8 }, stand = .030, edge = { 1.86, 8.0 } }, { { 1, 9 }, stand = .030, edge = { 1.9, 9 } },
}

function trim.collar(cage, ground)
  local count = 2 * #COLLAR - 1
  local ids = cage:points(6, count, function(row, column)
    local side = column <= #COLLAR and 1 or -1
    local at = COLLAR[side > 0 and column or count + 1 - column]
    local r, c = at[1][1], on_side(side, at[1][2])
    local base, weights, place = ground.point(r, c, -.001)
    local edge, edge_weights = ground.point(at.edge[1], on_side(side, at.edge[2]), .0095)
    local out = vector.subtract(edge, base)
    out[2] = 0
    out = vector.scale(out, 1 / math.max(1e-6, vector.length(out)))
    local function up(height, outward)
      return vector.add(vector.add(base, { 0, height, 0 }), vector.scale(out, outward))
    end
    local stand = at.stand
    if row == 1 then return up(-.006, -.002), weights, place end
    if row == 2 then return up(stand * .55, -.003), weights, place end
    if row == 3 then return up(stand + .004, .002), weights, place end
    if row == 4 then return up(stand + .001, .010), weights, place end
    if row == 6 then return edge, edge_weights, place end
    local mid = at.mid and ground.point(at.mid[1], on_side(side, at.mid[2]), .0135)
      or vector.add(vector.mix(up(stand + .001, .010), edge, .55), vector.scale(out, .005))
    return mid, edge_weights, place
  end)
  cage:cut_grid(ids, { 2 }, { #COLLAR }) -- two halves, sewn in the middle of the back, and the stand's inside
end

-- A band that stands round the neck.
function trim.stand_collar(cage, ground)
  local ids = cage:points(4, COLUMNS, function(row, column)
    local base, weights, place = ground.point(1, column, 0)
    local out = ground.normal(1.5, column)
    local height = ({ -.004, .016, .036, .050 })[row]
    return vector.add(base, { out[1] * .004 * row, height, out[3] * .004 * row }), weights, place, .007
  end)
  local turned = {} -- from its upper edge down
  for row = 1, #ids do turned[row] = ids[#ids + 1 - row] end
  cage:grid(turned)
end

-- A flap or welt: rows and columns of its corners. Between these it has points at the body's columns alone: finer, it
-- would bend with cloth that the body passes over, and sink into the body.
local function patch(cage, ground, cut)
  local rows, columns = 4, { cut.first }
  for column = math.floor(cut.first) + 1, math.ceil(cut.last) - 1 do columns[#columns + 1] = column end
  columns[#columns + 1] = cut.last
  for _, side in ipairs(cut.sides or { 1, -1 }) do
    local ids = cage:points(rows, #columns, function(row, column)
      local down, across = (row - 1) / (rows - 1), (columns[column] - cut.first) / (cut.last - cut.first)
      local off = cut.off * math.min(1, .2 + down * 2.4)
      return ground.point(cut.top + cut.height * down + cut.slant * across, on_side(side, columns[column]), off)
    end)
    cage:grid(ids, side < 0)
  end
end

function trim.pockets(cage, ground)
  patch(cage, ground, { top = 10.25, height = .82, first = 2.1, last = 4.3, slant = .12, off = .0105 })
end

function trim.breast_pocket(cage, ground)
  patch(cage, ground, { top = 5.55, height = .72, first = 2.55, last = 3.6, slant = -.28, off = .006, sides = { 1 } })
end

local THREAD = .0013 -- m wide
local APART = .0055  -- m between two rows of stitches

-- Two rows of stitches along each edge in front, from the lapels' break or the collar down, and along the hem.
function trim.stitching(cage, ground, front, rows)
  local first = front == "closed" and 1.2 or BREAK + .2
  local last = rows - .12
  for _, side in ipairs { 1, -1 } do
    for line = 1, 2 do
      local off = .006 + (line - 1) * APART
      cage:grid(cage:points(math.floor((last - first) / .5) + 1, 2, function(row, column)
        local here = math.min(last, first + (row - 1) * .5)
        return from_edge(ground, side, here, off + (column - 1) * THREAD, .0052)
      end), side < 0)
    end
  end
  for line = 1, 2 do
    local row_at = last - .10 * (line - 1)
    cage:grid(cage:points(2, 2 * COLUMNS - 1, function(row, column)
      return ground.point(row_at + (row - 1) * .025, (column + 1) / 2, .0052)
    end))
  end
end

-- A button: a disc, rigid, on a point with a normal.
function trim.button(cage, center, normal, weights, place, radius)
  local side = vector.cross({ 0, 1, .01 }, normal)
  side = vector.unit(side)
  local up = vector.cross(normal, side)
  local ids = cage:points(4, 4, function(row, column)
    local x, y = (column - 2.5) / 1.5, (2.5 - row) / 1.5 -- a square, made round
    local u, v = x * math.sqrt(1 - y * y / 2), y * math.sqrt(1 - x * x / 2)
    local dish = .0006 - .0012 * (1 - u * u - v * v)
    return vector.add(center, vector.add(vector.scale(normal, dish),
      vector.add(vector.scale(side, u * radius), vector.scale(up, v * radius)))), weights, place, .004
  end)
  cage:grid(ids)
end

function trim.front_buttons(cage, ground)
  for _, row in ipairs { 9.15, 10.65, 12.15 } do
    local column = ground.column(row, .02)
    local position, weights, place = ground.point(row, on_side(-1, column), .006)
    trim.button(cage, position, ground.normal(row, on_side(-1, column)), weights, place, .0105)
  end
end

-- Along the back of each cuff; sleeves: the rings of points of both.
function trim.cuff_buttons(cage, body, sleeves)
  for _, side in ipairs { "left", "right" } do
    local rings = sleeves[side]
    local points, count = body.data.points, #rings
    for i = 0, 2 do
      local ring = count - 1 - .42 * i
      local k, share = math.floor(ring), ring % 1
      local function place_of(which)
        local near, far = rings[k][which], rings[math.min(k + 1, count)][which]
        return vector.mix(points[near], points[far], share), near
      end
      local at, id = place_of(9)
      local across = vector.subtract((place_of(10)), (place_of(8)))
      local along = vector.subtract(points[rings[count][9]], points[rings[count - 2][9]])
      local normal = vector.cross(along, across)
      normal = vector.unit(normal)
      local middle = vector.mix(points[rings[count][4]], points[rings[count][9]], .5)
      if vector.dot(normal, vector.subtract(at, middle)) < 0 then normal = vector.scale(normal, -1) end
      trim.button(cage, vector.add(at, vector.scale(normal, .0042)), normal, body.data.weights[id], { 0, 0 }, .0068)
    end
  end
end

-- A hood's profile from its rim at the neck over its opening and down the back, then under itself: either m up and out
-- of the neckline, or the row of the ground and m above it; how many columns it reaches to either side; its bone's
-- share.
local HOOD = {
  { up = .012, out = -.002, reach = 5.6, bone = 0 }, { up = .050, out = .004, reach = 5.6, bone = 0 },
  { up = .042, out = .018, reach = 5.3, bone = 0 }, { up = .004, out = .028, reach = 4.8, bone = .05 },
  { up = .034, out = .052, reach = 4.3, bone = .15 }, { row = 1.75, off = .062, reach = 3.3, bone = .3 },
  { row = 3.0, off = .060, reach = 2.05, bone = .55 }, { row = 4.5, off = .052, reach = 1.75, bone = .8 },
  { row = 5.7, off = .036, reach = 1.35, bone = 1 }, { row = 6.2, off = .014, reach = 1.0, bone = 1 },
  { row = 5.6, off = .004, reach = 1.1, bone = 1 },
}
local HOOD_COLUMNS = 13

-- A hood that lies on the back, over the collar. Its rim follows the neck, the rest the bone `bone`.
function trim.hood(cage, ground, man, bone)
  local size, middle = man.size, (COLUMNS + 1) / 2
  local ids = cage:points(#HOOD, HOOD_COLUMNS, function(row, column)
    local at, aside = HOOD[row], 2 * (column - 1) / (HOOD_COLUMNS - 1) - 1 -- -1 on the left, 1 on the right
    local place, round = middle + aside * at.reach, math.sqrt(1 - .85 * aside * aside)
    local position, weights, on
    if at.row then
      position, weights, on = ground.point(1.5 + (at.row - 1.5) * round, place, at.off * size * round)
    else
      local out = ground.normal(1.4, place)
      position, weights, on = ground.point(1, place, 0)
      out = vector.scale({ out[1], 0, out[3] }, at.out * (.3 + .7 * round) * size / math.sqrt(out[1] ^ 2 + out[3] ^ 2))
      position = vector.add(vector.add(position, out), { 0, at.up * (.35 + .65 * round) * size, 0 })
    end
    local hanging, shares = at.bone * round, {}
    for name, share in pairs(weights) do shares[name] = share * (1 - hanging) end
    shares[bone] = hanging > 0 and hanging or nil
    return position, shares, on
  end)
  cage:cut_grid(ids, { 3, 9 }, { 3, 7, 11 })
end

return trim
