-- A shirt to wear below a jacket: skinned, not simulated. Its body lies between skin and jacket; of the sleeves there
-- are the cuffs.
--
--   meshes = { shirt {}, … }                       -- of a character that has the bones of garments/jacket_upper.lua
--   shirt { body = boxer, color = { .6, .7, .8 } }

local read_options = require "rigs.options"
local tailor = require "garments.tailor"
local new_cage = require "garments.cage"
local trim = require "garments.jacket_trim"
local vector = require "rigs.vector"

local own = { "body", { "name", "shirt" }, { "color", { .86, .87, .88 } } }
local PLACKET = .07                       -- radians, half the width of the band down the front
local BUTTONS = { 2.2, 4.4, 5.7, 6.7 }    -- rows from the neck
local AROUND = 20 -- points round the body, from the front over the left

-- Down the body, in the front, at the side and behind: m at size 1, before the shoulder joints or to the side, and
-- heights as on the human; whose bones carry it: neck, chest, and the spine below.
local HIPS, SHOULDERS, DEPTH = .899, 1.303, -.034
local NECK = {
  { front = { .038, 1.342 }, side = { .066, 1.372 }, back = { -.076, 1.376 }, flat = 2 },
  { front = { .058, 1.326 }, side = { .105, 1.352 }, back = { -.104, 1.352 }, flat = 2.1 },
  { front = { .080, 1.302 }, side = { .145, 1.332 }, back = { -.122, 1.318 }, flat = 2.2 },
  { front = { .096, 1.272 }, side = { .150, 1.290 }, back = { -.128, 1.282 }, flat = 2.3 },
  { front = { .104, 1.225 }, side = { .156, 1.228 }, back = { -.130, 1.230 }, flat = 2.4 },
}
local BELOW = { .66, .50, .36, .30 } -- levels
local BREAST = { angle = 1.05, half = .95, y = 1.215, reach = .130, left = .007, right = .024 } -- radians and m

local function height(man, y) return man:level((y - HIPS) / (SHOULDERS - HIPS)) end

-- A point of a row round the neck and chest: a superellipse whose height runs smoothly from the front to the back.
local function around(man, row, angle)
  local middle = vector.mix((man:at "left_upper_arm"), (man:at "right_upper_arm"), .5)
  local s, c = math.sin(angle), math.cos(angle)
  local depth_front, depth_back = row.front[1] - DEPTH, DEPTH - row.back[1]
  local n = row.flat
  local x, z = math.abs(s) ^ (2 / n) * row.side[1], math.abs(c) ^ (2 / n) * (c > 0 and depth_front or depth_back)
  local end_height = c > 0 and row.front[2] or row.back[2]
  local y = row.side[2] + (end_height - row.side[2]) * c * c
  return { middle[1] + (s < 0 and -x or x) * man.size, height(man, y), middle[3] + (c < 0 and -z or z) * man.size }
end

-- m that a point stands out of its row, where the human's breasts do; the right one does more.
local function breast(man, y, angle)
  local from_front = (angle + math.pi) % (2 * math.pi) - math.pi -- to the left
  local aside = math.abs(math.abs(from_front) - BREAST.angle) / BREAST.half
  local off = math.abs(y - height(man, BREAST.y)) / (BREAST.reach * man.size)
  if aside >= 1 or off >= 1 then return 0 end
  local out = from_front > 0 and BREAST.left or BREAST.right
  return out * man.size * math.cos(aside * math.pi / 2) ^ 2 * math.cos(off * math.pi / 2) ^ 2
end

local function weights_at(man, y, angle)
  local bone, level = man.bone, (y - man:level(0)) / (man:level(1) - man:level(0))
  local upper = math.max(0, math.min(1, (level - .35) / .4))
  local spines = bone.spines
  local weights = { [bone.chest] = upper }
  local lower = math.max(0, math.min(1, (level - .05) / .3)) * (1 - upper)
  weights[spines[1]] = (weights[spines[1]] or 0) + lower
  weights[bone.hips] = 1 - upper - lower
  local side = math.abs(math.sin(angle)) ^ 3 * .2 * math.max(0, math.min(1, (level - .9) / .1)) -- the shoulders
  if side > 0 then
    weights[bone.chest] = weights[bone.chest] - side
    weights["pad_" .. (math.sin(angle) > 0 and "left" or "right")] = side
  end
  for name, share in pairs(weights) do
    if share <= 0 then weights[name] = nil end
  end
  return weights
end

-- A band down the front, with buttons.
local function add_placket(cage, man, rows)
  local ids = cage:points(#rows, 3, function(row, column)
    local angle = (column - 2) * PLACKET
    local position = rows[row](angle)
    local way = { math.sin(angle), 0, math.cos(angle) }
    return vector.add(position, vector.scale(way, .0025 * man.size)), weights_at(man, position[2], angle)
  end)
  cage:grid(ids)
  for _, at in ipairs(BUTTONS) do
    local above, below = rows[math.floor(at)](0), rows[math.floor(at) + 1](0)
    local normal = vector.cross({ 1, 0, 0 }, vector.subtract(above, below))
    normal = vector.unit(normal)
    local position = vector.add(vector.mix(above, below, at % 1), vector.scale(normal, .0055 * man.size))
    trim.button(cage, position, normal, weights_at(man, position[2], 0), { 0, 0 }, .0055 * man.size)
  end
end

local function add_body(cage, man)
  local shapes = tailor.shapes(man, { "pelvis", "abdomen", "chest" })
  local rows = {}
  for _, row in ipairs(NECK) do rows[#rows + 1] = function(angle) return around(man, row, angle) end end
  for i, level in ipairs(BELOW) do
    local middle = { man:at("hips")[1], man:level(level), man:at("hips")[3] }
    local outline = tailor.outline(man, shapes, middle, (i < 3 and .001 or -.012) * man.size)
    rows[#rows + 1] = function(angle)
      return vector.add(middle, vector.scale({ math.sin(angle), 0, math.cos(angle) }, outline(angle)))
    end
  end
  local ids = {}
  for row, point in ipairs(rows) do
    ids[row] = {}
    for i = 0, AROUND - 1 do
      local angle = (i + .5) / AROUND * 2 * math.pi
      local position = point(angle)
      local way = { math.sin(angle), 0, math.cos(angle) }
      position = vector.add(position, vector.scale(way, breast(man, position[2], angle)))
      ids[row][i + 1] = cage:point(position, weights_at(man, position[2], angle), nil, nil, row < 3 and 0 or nil)
    end
    ids[row][AROUND + 1] = ids[row][1]
  end
  cage:cut_grid(ids, { 3 }, { 6, 11, 16 }) -- yoke, fronts and back
  add_placket(cage, man, rows)
end

-- From the neck's front round it: stands up, folds over, and ends in two points.
local function add_collar(cage, man)
  local count, size = 15, man.size
  local profile = { -- m out of the neck, up
    { .000, -.008 }, { .000, .014 }, { .001, .029 }, { .006, .030 }, { .012, .016 }, { .016, -.004 },
  }
  local ids = cage:points(#profile, count, function(row, column)
    local t = (column - 1) / (count - 1)
    local angle = math.rad(9) + t * (2 * math.pi - math.rad(18))
    local base = around(man, NECK[1], angle)
    local out = { math.sin(angle), 0, math.cos(angle) }
    local ahead = math.max(0, math.cos(angle))
    local front, open, form = ahead ^ 4, math.min(1, ahead / .7), profile[row]
    local up = form[2] * (1 - .25 * front) - (row > 4 and .012 * front or 0) -- the points hang lower
    local far = form[1] * (.3 + .7 * open) + .001 -- flat below a coat
    local position = vector.add(base, vector.scale(out, far * size))
    position[2] = position[2] + up * size
    if row > 4 then position[1] = position[1] + math.sin(angle) * .03 * front * size end
    return position, { [man.bone.chest] = .75, [man.bone.neck] = .25 }, nil, nil, 0 -- a neck that bends is seen in it
  end)
  cage:cut_grid(ids, { 3, 4 }, { 4, 8, 12 })
end

-- A cuff round the wrist, which shows below the jacket's.
local function add_cuff(cage, man, side)
  local elbow, wrist = (man:at(side .. "_lower_arm")), (man:at(side .. "_hand"))
  local along = vector.subtract(wrist, elbow)
  along = vector.unit(along)
  local across = { 0, 0, 1 }
  local up = vector.cross(across, along)
  up = vector.unit(up)
  across = vector.cross(along, up)
  local count, ids = 8, {}
  for row = 1, 4 do
    ids[row] = {}
    local back = ({ -.055, -.03, -.008, .004 })[row] * man.size
    local radius = ({ .035, .0352, .0352, .0345 })[row] * man.size
    for i = 0, count - 1 do
      local angle = i / count * 2 * math.pi
      ids[row][i + 1] = cage:point(vector.add(vector.add(wrist, vector.scale(along, back)),
        vector.add(vector.scale(up, radius * math.cos(angle)), vector.scale(across, radius * math.sin(angle)))),
        { ["cuff_twist_" .. side] = 1 })
    end
    ids[row][count + 1] = ids[row][1]
  end
  cage:grid(ids, true)
end

return function(options)
  local all = read_options(options, own)
  local man = all.body or require "rigs.human"
  local cage = new_cage(.0018, .07)
  add_body(cage, man)
  add_collar(cage, man)
  add_cuff(cage, man, "left")
  add_cuff(cage, man, "right")
  return cage:mesh(all.name, { color = all.color, roughness = .8, pattern = "plain" }, { levels = 1, sides = "outer" })
end
