-- A jacket's lower part: a grid of cloth that hangs from the waist round the body and is open in front.
--
--   jacket { name = "jacket", columns = 17, rows = 9, open = "front", fabric = "tweed" }
--
-- It is cut to the body at rest: each row runs round the convex outline of the colliders at its height, with some
-- clearance, and is never narrower than the row above. Any other field of tweed.cloth may be given too; give it
-- colliders = body.trunk where the character has arms to leave out, which would squeeze the cloth against the body.

local tweed = require "tweed"
local human = require "rigs.human"
local body = require "rigs.body"
local quaternion = tweed.quaternion

local DIRECTIONS = 72 -- in which an outline is measured

local defaults = {
  columns = 17, rows = 9,
  open = "front",      -- or false: a closed ring
  gap = .07,           -- m between the edges in front, at the waist
  top = .15,           -- m above the hips: the waist
  length = .48,        -- m down to the hem, on the upper thighs
  clearance = .022,    -- m between body and cloth
  flare = .03,         -- m that the hem stands out farther
  attach = "Spine",
  max_distance = { top = 0, curve = 1 }, -- growing evenly, to the fabric's at the hem
}
local own = { open = true, gap = true, top = true, length = true, clearance = true, flare = true }

-- An angle runs from the front (+Z) over the wearer's left (+X).
local function direction(angle) return { math.sin(angle), 0, math.cos(angle) } end

local function sum_of_products(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end

-- How far from the point, in a level direction, the ray leaves an ellipsoid; 0 where it misses.
local function exit_distance(shape, point, ray, clearance)
  local position, rotation = human.skeleton:rest(shape.bone)
  local back = quaternion.inverse(quaternion.multiply(rotation, shape.rotation))
  local center = quaternion.rotate(rotation, shape.center)
  local from = {}
  for i = 1, 3 do from[i] = point[i] - position[i] - center[i] end
  from = quaternion.rotate(back, from)
  local along = quaternion.rotate(back, ray)
  for i = 1, 3 do -- to where the ellipsoid is the unit sphere
    from[i] = from[i] / (shape.radii[i] + clearance)
    along[i] = along[i] / (shape.radii[i] + clearance)
  end
  local a, b, c = sum_of_products(along, along), sum_of_products(from, along), sum_of_products(from, from) - 1
  local root = b * b - a * c
  return root > 0 and math.max(0, (math.sqrt(root) - b) / a) or 0
end

-- The convex outline of the body at a height, as a function from angle to distance from the axis.
local function outline(shapes, height, clearance)
  local axis, points = { 0, height, 0 }, {}
  for i = 1, DIRECTIONS do
    local ray, farthest = direction(i / DIRECTIONS * 2 * math.pi), 0
    for _, shape in ipairs(shapes) do farthest = math.max(farthest, exit_distance(shape, axis, ray, clearance)) end
    points[i] = { ray[1] * farthest, 0, ray[3] * farthest }
  end
  local supports = {} -- the hull is what lies below the tangent in every direction
  for i = 1, DIRECTIONS do
    local normal, support = direction(i / DIRECTIONS * 2 * math.pi), 0
    for _, point in ipairs(points) do support = math.max(support, sum_of_products(point, normal)) end
    supports[i] = support
  end
  return function(angle)
    local nearest = math.huge
    for i, support in ipairs(supports) do
      local cosine = math.cos(i / DIRECTIONS * 2 * math.pi - angle)
      if cosine > 0 then nearest = math.min(nearest, support / cosine) end
    end
    return nearest
  end
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

local function cut(options)
  local shapes = {}
  for _, shape in ipairs(body.colliders) do
    for _, name in ipairs(body.trunk) do
      if shape.name == name then shapes[#shapes + 1] = shape end
    end
  end
  local waist = human.skeleton:rest("Hips")[2] + options.top
  local rows = {}
  for row = 1, options.rows do
    local down = (row - 1) / (options.rows - 1)
    rows[row] = { height = waist - options.length * down, out = options.flare * down,
                  outline = outline(shapes, waist - options.length * down, options.clearance) }
  end

  local function widest_of_all(angle)
    local widest = 0
    for _, row in ipairs(rows) do widest = math.max(widest, row.outline(angle)) end
    return widest
  end
  local edge = options.open and math.asin(options.gap / 2 / rows[1].outline(0)) or 0
  local parts = options.open and options.columns - 1 or options.columns
  local angles = equal_parts(widest_of_all, edge, 2 * math.pi - edge, parts)
  local points, widest = {}, {}
  for _, row in ipairs(rows) do
    for column = 1, options.columns do
      local ray = direction(angles[column])
      widest[column] = math.max(widest[column] or 0, row.outline(angles[column]))
      local radius = widest[column] + row.out
      points[#points + 1] = { radius * ray[1], row.height, radius * ray[3] }
    end
  end
  return points
end

return function(options)
  local all = {}
  for key, value in pairs(defaults) do all[key] = value end
  for key, value in pairs(options) do all[key] = value end
  local cloth = {}
  for key, value in pairs(all) do
    if not own[key] then cloth[key] = value end
  end
  cloth.closed = not all.open
  cloth.positions = cut(all)
  return tweed.cloth(cloth)
end
