-- Cuts cloth to a humanoid at rest: rows that run round the convex outline of its colliders.
--
--   local points = tailor.round(man, { columns = 17, rows = 9, top = .62, hem = -.56, first = .3, last = 6 })

local tweed = require "tweed"
local read_options = require "rigs.options"
local vector = require "rigs.vector"
local quaternion = tweed.quaternion

local tailor = {}

local DIRECTIONS = 72 -- in which an outline is measured
local TAU = 2 * math.pi

-- An angle runs from the front (+Z) over the wearer's left (+X).
local function direction(angle) return { math.sin(angle), 0, math.cos(angle) } end

-- How far from the point a ray leaves an ellipsoid, as a function of the ray's level direction; 0 where it misses.
local function exit_distance(man, shape, point, clearance)
  local rest = man.rest[shape.bone]
  local back = quaternion.inverse(quaternion.multiply(rest.rotation, shape.rotation))
  local center = vector.add(rest.position, quaternion.rotate(rest.rotation, shape.center))
  local function to_sphere(offset) -- to where the ellipsoid is the unit sphere
    local turned = quaternion.rotate(back, offset)
    for i = 1, 3 do turned[i] = turned[i] / (shape.radii[i] + clearance) end
    return turned
  end
  local from, x, z = to_sphere(vector.subtract(point, center)), to_sphere { 1, 0, 0 }, to_sphere { 0, 0, 1 }
  local c = vector.dot(from, from) - 1
  return function(ray)
    local along = vector.add(vector.scale(x, ray[1]), vector.scale(z, ray[3]))
    local a, b = vector.dot(along, along), vector.dot(from, along)
    local root = b * b - a * c
    return root > 0 and math.max(0, (math.sqrt(root) - b) / a) or 0
  end
end

-- The convex hull of points round a middle, as a function from angle to distance.
local function hull(points)
  local normals, supports = {}, {} -- the hull is what lies below the tangent in every direction
  for i = 1, DIRECTIONS do
    local normal, support = direction(i / DIRECTIONS * TAU), 0
    local x, z = normal[1], normal[3]
    for _, point in ipairs(points) do support = math.max(support, point[1] * x + point[3] * z) end
    normals[i], supports[i] = normal, support
  end
  return function(angle)
    local ray, nearest = direction(angle), math.huge
    local x, z = ray[1], ray[3]
    for i, normal in ipairs(normals) do
      local cosine = normal[1] * x + normal[3] * z
      if cosine > 0 then nearest = math.min(nearest, supports[i] / cosine) end
    end
    return nearest
  end
end

-- The convex outline of the colliders `shapes` round a point, on its level, as a function from angle to distance.
function tailor.outline(man, shapes, middle, clearance)
  local points, exits = {}, {}
  for i, shape in ipairs(shapes) do exits[i] = exit_distance(man, shape, middle, clearance) end
  for i = 1, DIRECTIONS do
    local ray, farthest = direction(i / DIRECTIONS * TAU), 0
    for _, exit in ipairs(exits) do farthest = math.max(farthest, exit(ray)) end
    points[i] = vector.scale(ray, farthest)
  end
  return hull(points)
end

-- The convex outline of a skin likewise: of its points that are at most so much higher or lower than the middle and not
-- farther out than `most`, which leaves out arms.
function tailor.skin_outline(skin, middle, high, clearance, most)
  local points = {}
  skin:reshaped(function(place)
    if math.abs(place[2] - middle[2]) < high then
      local point = { place[1] - middle[1], 0, place[3] - middle[3] }
      local far = vector.length(point)
      if far > 0 and far < most(math.atan(point[1], point[3])) then
        points[#points + 1] = vector.scale(point, (far + clearance) / far)
      end
    end
    return place
  end)
  return hull(points)
end

-- Angles from first to last that part an outline in pieces of equal length.
local function equal_parts(radius, first, last, parts)
  local steps, lengths = 180, { [0] = 0 }
  local x, z
  for i = 0, steps do
    local angle = first + (last - first) * i / steps
    local distance = radius(angle)
    local next_x, next_z = distance * math.sin(angle), distance * math.cos(angle)
    if i > 0 then lengths[i] = lengths[i - 1] + math.sqrt((next_x - x) ^ 2 + (next_z - z) ^ 2) end
    x, z = next_x, next_z
  end
  local angles, i = {}, 1
  for part = 0, parts do
    local wanted = lengths[steps] * part / parts
    while i < steps and lengths[i] < wanted do i = i + 1 end
    local within = (wanted - lengths[i - 1]) / (lengths[i] - lengths[i - 1])
    angles[#angles + 1] = first + (last - first) * (i - 1 + within) / steps
  end
  return angles
end

-- The colliders of those names, all where there are none.
function tailor.shapes(man, names)
  local wanted, shapes = {}, {}
  for _, name in ipairs(names or {}) do wanted[name] = true end
  for _, shape in ipairs(man.colliders) do
    if not names or wanted[shape.name] then shapes[#shapes + 1] = shape end
  end
  return shapes
end

-- An ellipse's distance from its center.
function tailor.ellipse(width, depth)
  return function(angle) return 1 / math.sqrt((math.sin(angle) / width) ^ 2 + (math.cos(angle) / depth) ^ 2) end
end

-- A waist that many m (at size 1) above the hip joints, since legs tell a body's size better than its trunk: its level,
-- and the bone that carries it.
function tailor.waist(man, above)
  local bottom, up = man:level(0), above * man.size
  return up / (man:level(1) - bottom), man:trunk_at(bottom + up)
end

-- Points of a grid, row by row from the top. Each row runs round the outline of the colliders at its height, and is
-- never narrower than the row above.
--   columns, rows
--   top, hem      levels of the first and the last row (see rigs/humanoid.lua)
--   first, last   angles between which it runs, from the front over the left; a closed ring without `last`
--   gap           or so: open in front, m between the edges at the top
--   colliders     names of those that it goes round
--   clearance     m between them and the cloth; flare: m that the hem stands out farther
--   least         a function from angle to the least distance, such as tailor.ellipse gives
function tailor.round(man, cut)
  local shapes, rows = tailor.shapes(man, cut.colliders), {}
  local top, hem = man:level(cut.top), man:level(cut.hem)
  for row = 1, cut.rows do
    local down = (row - 1) / (cut.rows - 1)
    local middle = { 0, top + (hem - top) * down, man:at("hips")[3] }
    rows[row] = { middle = middle, out = cut.flare * man.size * down,
                  outline = tailor.outline(man, shapes, middle, cut.clearance * man.size) }
  end

  local function widest_of_all(angle)
    local widest = cut.least and cut.least(angle) or 0
    for _, row in ipairs(rows) do widest = math.max(widest, row.outline(angle)) end
    return widest
  end
  local first, last = cut.first or 0, cut.last or TAU
  if cut.gap then
    first = math.asin(cut.gap * man.size / 2 / rows[1].outline(0))
    last = TAU - first
  end
  local open = cut.gap or cut.last
  local angles = equal_parts(widest_of_all, first, last, open and cut.columns - 1 or cut.columns)
  local points, widest = {}, {}
  for _, row in ipairs(rows) do
    for column = 1, cut.columns do
      local angle = angles[column]
      widest[column] = math.max(widest[column] or cut.least and cut.least(angle) or 0, row.outline(angle))
      points[#points + 1] = vector.add(row.middle, vector.scale(direction(angle), widest[column] + row.out))
    end
  end
  return points
end

-- A ring of cloth as it is cut: a part of a circle round a hole as wide as its first row, which a whole one fills. The
-- lengths of the columns stay.
--   points    of the ring, as tailor.round gives them
--   columns   how many
--   circle    1: a whole circle, which lies flat; .5: half of one, sewn up to a cone
function tailor.circle(points, columns, circle)
  local around, pattern = 0, {}
  for column = 1, columns do
    around = around + vector.length(vector.subtract(points[column % columns + 1], points[column]))
  end
  local hole, drop, down = around / TAU, math.sqrt(1 - circle * circle), {}
  for i, point in ipairs(points) do
    local column = (i - 1) % columns + 1
    local above = points[i - columns]
    down[column] = above and down[column] + vector.length(vector.subtract(point, above)) or 0
    local out = vector.scale(direction((column - 1) / columns * TAU), hole + circle * down[column])
    pattern[i] = { out[1], -drop * down[column], out[3] }
  end
  return pattern
end

-- A grid of cloth as it is cut, wider downward than it hangs: the last row by this share of its width, the first not at
-- all. The lengths of the columns stay.
function tailor.full(points, columns, fullness)
  local rows, pattern = #points // columns, {}
  for i, point in ipairs(points) do
    local wider = 1 + fullness * ((i - 1) // columns) / (rows - 1)
    local above, cut_above = points[i - columns], pattern[i - columns]
    local cut = { point[1] * wider, point[2], point[3] * wider }
    if above then
      local length = vector.length(vector.subtract(point, above))
      local out = (cut[1] - cut_above[1]) ^ 2 + (cut[3] - cut_above[3]) ^ 2
      cut[2] = cut_above[2] - math.sqrt(math.max(length * length - out, .25 * length * length))
    end
    pattern[i] = cut
  end
  return pattern
end

-- The options of a garment's helper: those that cut it, and the fields of its cloth, which are all others.
--   own        the options that cut it, as rigs/options.lua has them
--   defaults   of the cloth's fields
function tailor.fields(options, own, defaults)
  local cut, cloth = read_options(options, own, true)
  for key, value in pairs(defaults) do
    if cloth[key] == nil then cloth[key] = value end
  end
  cut.body = cut.body or require "rigs.human"
  cloth.columns, cloth.rows = cut.columns, cut.rows
  return cut, cloth
end

return tailor
