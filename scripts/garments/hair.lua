-- Hair that is short, or drawn back: a cap on the head whose strands run from a parting, a crown or a knot to the
-- hairline.
--
--   meshes = { hair {}, … }                        -- of a character
--   hair { body = boxer, color = { .5, .4, .2 }, cut = "cropped" }
--   hair { face = face }                           -- on the head of a rigs/face.lua

local read_options = require "rigs.options"
local new_cage = require "garments.cage"
local vector = require "rigs.vector"

local own = {
  "body", "face", { "name", "hair" }, { "color", { .16, .11, .075 } },
  { "cut", "parted" }, -- "parted", "combed", "cropped", "bun", "knot" low behind, or "tied" for a ponytail
  { "forehead", 0, -15, 15, "degrees" }, -- how much higher the hairline is in front
  { "temples", 0, -15, 15, "degrees" },  -- and beside it
}
-- Where strands begin: from one place to another, degrees from the front over the left and down from the crown of a
-- ball round the skull. How thick the hair is, m on top and at the sides at size 1; what stands up in front.
local CUTS = {
  parted = { from = { 33, 46 }, to = { 130, 16 }, top = .0150, side = .0065, quiff = .008 },
  combed = { from = { -24, 44 }, to = { -140, 20 }, top = .0190, side = .0080, quiff = .013 },
  cropped = { from = { 180, 16 }, top = .0055, side = .0032, quiff = 0 },
  bun = { from = { 180, 70 }, top = .0080, side = .0062, quiff = .002, knot = { 0, .125, -.100 }, radius = .036 },
  knot = { from = { 180, 104 }, top = .0100, side = .0080, quiff = .002, knot = { 0, .062, -.080 }, radius = .021,
           waves = .0016 },
  tied = { from = { 180, 80 }, top = .0085, side = .0060, quiff = .002 },
}
local CENTER = { 0, .088, .008 } -- of the ball, m from the head's joint at size 1
-- The skull's distance from there in mm at size 1: rows down from the crown each 20 degrees, columns round from the
-- front each 30.
local SKULL = {
  { 88, 88, 88, 88, 88, 88, 88 }, { 90, 89.6, 88.5, 88, 88.5, 88.6, 88.5 },
  { 93.5, 91.4, 86, 82.5, 86, 90.6, 91.3 }, { 95, 91.2, 78, 74.2, 80, 89.1, 91 },
  { 95.9, 91.2, 72.8, 69.5, 74, 83, 88.5 }, { 92, 88.2, 74.6, 71, 73, 81.3, 85.2 },
  { 100, 95, 82.5, 75, 76.1, 80, 82.8 }, { 118, 110, 96, 82, 84.3, 86.4, 87.8 },
}
-- The hairline: degrees round from the front, and down from the crown. Over the ears it is at their roots.
local LINE = {
  { 0, 49 }, { 15, 49.5 }, { 30, 52 }, { 42, 54 }, { 49, 60 }, { 57, 72 }, { 64, 86 }, { 70, 98 }, { 75, 107 },
  { 81, 112 }, { 86, 108 }, { 92, 102 }, { 100, 102 }, { 106, 107 }, { 112, 114 }, { 120, 119 }, { 135, 124 },
  { 150, 126 }, { 180, 127 },
}
local ROUND = { 0, 8, 16, 23, 30, 36, 42, 49, 57, 64, 70, 75, 81, 86, 92, 100, 106, 112, 120, 128, 140, 153, 167, 180 }
local ROWS = 9
local EDGE = .0012   -- m that the hair's edge lies off the skin at size 1
local ASKEW = .018   -- m that locks on the left are farther from the front than those on the right
local PARTING = .0003 -- m from a parting's middle to the hair on either side, at size 1

local function direction(around, down)
  local a, d = math.rad(around), math.rad(down)
  return { math.sin(d) * math.sin(a), math.cos(d), math.sin(d) * math.cos(a) }
end

local function skull(way)
  local row = math.deg(math.acos(math.max(-1, math.min(1, way[2])))) / 20
  local column = math.deg(math.abs(math.atan(way[1], way[3]))) / 30
  local r, c = math.min(6, math.floor(row)), math.min(5, math.floor(column))
  local y, x = math.min(1, row - r), column - c
  y, x = y * y * (3 - 2 * y) * .5 + y * .5, x * x * (3 - 2 * x) * .5 + x * .5
  local above, below = SKULL[r + 1], SKULL[r + 2]
  local function at(list) return list[c + 1] * (1 - x) + list[c + 2] * x end
  return .001 * (at(above) * (1 - y) + at(below) * y)
end

local function angle_between(a, b) return math.acos(math.max(-1, math.min(1, vector.dot(a, b)))) end

-- A direction on the way from one to another.
local function on_arc(from, to, share)
  local angle = angle_between(from, to)
  if angle < 1e-4 then return to end
  return vector.add(vector.scale(from, math.sin((1 - share) * angle) / math.sin(angle)),
    vector.scale(to, math.sin(share * angle) / math.sin(angle)))
end

-- The strand that ends at a place of the hairline: where it begins and ends.
local function strand(cut, around, hairline)
  local finish, from, to = direction(around, hairline(around)), cut.from, cut.to
  if not to then -- all from one place
    local middle = direction(from[1], from[2])
    return on_arc(middle, finish, .03), finish
  end
  local on_left = (around - from[1]) % 360
  local far = (to[1] - from[1]) % 360
  local share = on_left <= far and on_left / far or (360 - on_left) / (360 - far)
  local a, b = direction(from[1], from[2]), direction(to[1], to[2])
  local start = on_arc(a, b, share)
  local aside = vector.subtract(finish, vector.scale(start, vector.dot(start, finish)))
  return vector.add(start, vector.scale(aside, PARTING / .09 / math.max(1e-6, vector.length(aside)))), finish
end

-- angle: from the strand's beginning to its end. Short strands lie flat.
local function thickness(cut, way, share, around, angle)
  local top = vector.smoothstep(.05, .8, way[2])
  local thick = cut.side + (cut.top - cut.side) * top
  local quiff = cut.quiff * math.exp(-((way[1] - .05) / .45) ^ 2 - ((way[3] - .58) / .30) ^ 2)
  quiff = quiff * vector.smoothstep(.45, .7, way[2])
  local lock = 1 + .22 * math.sin(around / 9 + 5 * share) * math.sin(around / 23 + 2)
    + .14 * math.sin(around / 3.7 + 4 * share) * math.sin(around / 31 + 9 * share)
  local waves = (cut.waves or 0) * math.sin(30 * share + math.sin(around / 17)) * vector.smoothstep(0, .2, share)
  local rise = cut.knot and 1 or 1 - .55 * math.exp(-(share / .10) ^ 2)
  local fall = math.max(0, 1 - share ^ 3) ^ .8 * (.4 + .6 * vector.smoothstep(-.6, -.05, way[2]))
  return EDGE + ((thick * lock + quiff) * rise * vector.smoothstep(0, .5, angle) + waves) * fall
end

-- Adds a ring of strands: rows along them, of which a function of row and column gives position, u and v.
local function add_ring(cage, rows, columns, weights, make)
  local ids, uvs = {}, {}
  for row = 1, rows do
    ids[row], uvs[row] = {}, {}
    for column = 1, columns + 1 do
      local position, u, v, thick = make(row, column)
      uvs[row][column] = { u, v }
      ids[row][column] = column > columns and ids[row][1] or cage:point(position, weights, nil, thick)
    end
  end
  cage:grid(ids, false, uvs)
end

local function add_cap(cage, man, all, cut, weights, place)
  local angles = {}
  for _, around in ipairs(ROUND) do angles[#angles + 1] = around end
  for i = #ROUND - 1, 2, -1 do angles[#angles + 1] = 360 - ROUND[i] end
  local function hairline(around)
    local a = math.abs((around + 180) % 360 - 180)
    return vector.interpolate(LINE, a) - all.forehead * math.exp(-(a / 32) ^ 2)
      - all.temples * math.exp(-((a - 44) / 12) ^ 2)
  end
  local across = { [ROUND[1]] = 0 } -- m along the hairline from the front, to both sides
  for i = 2, #ROUND do
    local here, before = ROUND[i], ROUND[i - 1]
    across[here] = across[before]
      + .075 * vector.length(vector.subtract(direction(here, hairline(here)), direction(before, hairline(before))))
  end
  local function u_of(around) -- without a break anywhere, and not alike on both sides
    return across[around <= 180 and around or 360 - around] + ASKEW * math.sin(math.rad(around))
  end
  add_ring(cage, ROWS, #angles, weights, function(row, column)
    local around = angles[(column - 1) % #angles + 1]
    local start, finish = strand(cut, around, hairline)
    local share = ((row - 1) / (ROWS - 1)) ^ .85
    local way = on_arc(start, finish, share)
    way = vector.unit(way)
    local angle = angle_between(start, finish)
    return place(vector.scale(way, skull(way) + thickness(cut, way, share, around, angle))), u_of(around),
      (1 - share) * angle * .085, share > .8 and .0008 or .002
  end)
end

-- Hair wound into a knot.
local function add_knot(cage, man, cut, weights, place)
  local off = vector.subtract(cut.knot, CENTER)
  local back = vector.unit(off)
  local up = { 0, -back[3], back[2] }
  local rows, columns, radius = 10, 16, cut.radius
  add_ring(cage, rows, columns, weights, function(row, column)
    local angle, around = .06 + 2.4 * (row - 1) / (rows - 1), (column - 1) / columns * 2 * math.pi
    local locks = 1 + .05 * math.sin(3 * around + 6 * angle)
    local way = vector.add(vector.scale(back, .8 * math.cos(angle)),
      vector.add({ -math.sin(angle) * math.cos(around), 0, 0 }, vector.scale(up, math.sin(angle) * math.sin(around))))
    return place(vector.add(off, vector.scale(way, radius * locks))), angle * radius + around * .006,
      .04 + around * radius, .002
  end)
end

return function(options)
  local all = read_options(options, own)
  local man, cut = all.body or require "rigs.human", CUTS[all.cut]
  if not cut then error(('cut: expected one of "parted", "combed", "cropped", "bun", "knot" or "tied", found "%s"')
    :format(tostring(all.cut)), 0) end
  local center = vector.add((man:at "head"), vector.scale(CENTER, man.size))
  local function place(off)
    local at = vector.add(center, vector.scale(off, man.size))
    return all.face and all.face(at) or at
  end
  local cage, weights = new_cage(.002), { [man.bone.head] = 1 }
  add_cap(cage, man, all, cut, weights, place)
  if cut.knot then add_knot(cage, man, cut, weights, place) end
  return cage:mesh(all.name, { color = all.color, roughness = .55, pattern = "hair" },
    { sides = "outer", flatten = false, levels = 1 })
end
