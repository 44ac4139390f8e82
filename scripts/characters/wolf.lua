-- A wolf, to show that nothing here is about humans: a blanket over its back in two halves sewn along the spine, bound
-- with a rim and held by straps, and its tail as a chain. The skeleton and its motion are those of X/Testwuson.X
-- (Debian: assimp-testmodels).

local tweed = require "tweed"
local body_wolf = require "rigs.body_wolf"
local vector = require "rigs.vector"
local new_cage = require "garments.cage"
local quaternion = tweed.quaternion

local FILE = "X/Testwuson.X"
local skeleton = tweed.import(FILE)

-- A point of model space in a bone's space at rest, and how the model's axes are turned there.
local function in_bone(bone, point)
  local position, rotation = skeleton:rest(bone)
  local back = quaternion.inverse(rotation)
  return quaternion.rotate(back, vector.subtract(point, position)), back
end

local function flesh(name, bone, center, radii)
  local at, rotation = in_bone(bone, center)
  return tweed.ellipsoid { name = name, bone = bone, center = at, radii = radii, rotation = rotation }
end

local function limb(name, bone, below, radius)
  return tweed.capsule { name = name, bone = bone, to = in_bone(bone, (skeleton:rest(below))), radius = radius }
end

-- The motion of the file sinks the forepaws 7 cm into the ground; raised by this, they are 2 cm in it at most.
local RAISED = quaternion.axis_angle({ 0, 0, 1 }, math.rad(-6))

local COLUMNS, ROWS, LENGTH = 17, 12, .70 -- of half a blanket: along the back, down the flank; m
local FRONT, REAR = .36, -.52             -- m, its edges
local FULLNESS = .22                      -- how much wider it is cut at the hem than at the spine
local WOOL = { color = { .36, .12, .09 }, roughness = .95, pattern = "herringbone" }
local RIM = { color = { .13, .055, .04 }, roughness = .8, pattern = "plain" }
local BINDING, OVER = .030, .004          -- m: how wide the rim is, and how far it stands over the edge

-- How far the blanket is drawn outside of a place of the cloth: wool falls in soft folds, deeper towards the hem.
local FOLD, FOLDS = .060, { 1.9, 5.6, 9.1, 13.4 } -- m; the columns of their ridges
local function folded(cloth, position, row, column)
  local out, down = 0, row / (ROWS - 1)
  if cloth.name:find "right" then column = COLUMNS - 1 - column end
  for i, at in ipairs(FOLDS) do
    local off = (column - at - (i % 2 - .5) * 1.2 * down) / (1.05 + .25 * (i % 2)) -- they do not hang straight
    out = out + (.75 + .25 * (i % 3)) * math.exp(-off * off)
  end
  local side = position[1] < 0 and -1 or 1
  return { position[1] + side * FOLD * out * down ^ 1.4, position[2], position[3] }
end

-- The rim: strips along the edge in front, the hem and the edge behind, thicker than the blanket between them.
local function rim(cloth)
  local cage = new_cage(.013)
  local function strip(count, at) -- at(i, from the edge): row, column
    cage:grid(cage:points(3, count, function(across, i)
      local row, column, out = at(i, across)
      local r, c = math.min(math.floor(row), ROWS - 2), math.min(math.floor(column), COLUMNS - 2)
      local function point(down, right) return cloth.positions[(r + down) * COLUMNS + c + right + 1] end
      local position = vector.mix(vector.mix(point(0, 0), point(0, 1), column - c),
        vector.mix(point(1, 0), point(1, 1), column - c), row - r)
      return vector.add(folded(cloth, position, row, column), out or { 0, 0, 0 }), {}, { row, column }
    end))
  end
  local wide = BINDING / (FRONT - REAR) * (COLUMNS - 1)
  local high, sign = BINDING / LENGTH * (ROWS - 1), cloth.positions[COLUMNS][3] > cloth.positions[1][3] and 1 or -1
  strip(COLUMNS, function(i, across)
    return ROWS - 1 - high * (3 - across) / 2, i - 1, across == 3 and { 0, -OVER, 0 } or nil
  end)
  -- Seen from outside, columns run to the right: the strips at the sides are turned.
  strip(ROWS, function(i, across)
    return ROWS - i, wide * (3 - across) / 2, across == 3 and { 0, 0, -sign * OVER } or nil
  end)
  strip(ROWS, function(i, across)
    return i - 1, COLUMNS - 1 - wide * (3 - across) / 2, across == 3 and { 0, 0, sign * OVER } or nil
  end)
  return cage:mesh(cloth.name .. "_rim", RIM, { cloth = cloth, levels = 1 })
end

local function surface_of(cloth)
  local cage = new_cage(.007)
  local ids = cage:points(ROWS, COLUMNS, function(row, column)
    local i = (row - 1) * COLUMNS + column
    return folded(cloth, cloth.positions[i], row - 1, column - 1), {}, { row - 1, column - 1 }, nil, nil,
      cloth.pattern[i]
  end)
  cage:grid(ids)
  return cage:mesh(cloth.name, WOOL, { cloth = cloth, levels = 2 })
end

-- For each column, the spine's bone that is nearest.
local function spine_of(from, to)
  local attach = {}
  for column = 0, COLUMNS - 1 do
    local z, nearest, distance = from + (to - from) * column / (COLUMNS - 1), nil, math.huge
    for _, bone in ipairs { "Spine_Back03", "Spine_Back02", "Spine_Back01", "Spine_Front01", "Spine_Front02" } do
      local off = math.abs(skeleton:rest(bone)[3] - z)
      if off < distance then nearest, distance = bone, off end
    end
    attach[#attach + 1] = { [nearest] = 1 }
  end
  return attach
end

-- Half a blanket as it is cut, wider downward than it hangs. The lengths of the columns stay.
local function cut_full(points)
  local pattern, middle = {}, (FRONT + REAR) / 2
  for i, point in ipairs(points) do
    local row, above = (i - 1) // COLUMNS, points[i - COLUMNS]
    local z = middle + (point[3] - middle) * (1 + FULLNESS * row / (ROWS - 1))
    if above then
      local x, y, cut = point[1] - above[1], point[2] - above[2], pattern[i - COLUMNS]
      local share = math.sqrt(1 - (z - cut[3]) ^ 2 / (x * x + y * y))
      pattern[i] = { cut[1] + share * x, cut[2] + share * y, z }
    else
      pattern[i] = point
    end
  end
  return pattern
end

-- One half: row 0 along the spine, the others round the flank and straight down from there. The columns of the left
-- half run backwards, those of the right half forwards, so that the normals of both point away from the body.
local function half(side, sign)
  local middle, width, height = .95, .30, .255
  local from, to = sign > 0 and FRONT or REAR, sign > 0 and REAR or FRONT
  local points = {}
  for row = 0, ROWS - 1 do
    local down, quarter = LENGTH * row / (ROWS - 1), math.pi / 4 * (width + height)
    local angle = math.min(down / quarter, 1) * math.pi / 2
    for column = 0, COLUMNS - 1 do
      local z = from + (to - from) * column / (COLUMNS - 1)
      points[#points + 1] = { sign * (.004 + width * math.sin(angle)),
                              middle + height * math.cos(angle) - math.max(0, down - quarter), z }
    end
  end
  local cloth = tweed.cloth {
    name = "blanket_" .. side, fabric = "tweed", rows = ROWS, columns = COLUMNS, positions = points,
    pattern = cut_full(points), attach = spine_of(from, to), max_distance = { top = 0, bottom = .4 },
    self_collision = .02,
  }
  cloth.meshes = { surface_of(cloth), rim(cloth) }
  return cloth
end

local tail, tail_bones = { in_bone("Pelvis", (skeleton:rest "Tail01")) }, {}
for i = 2, 6 do
  tail_bones[i - 1] = "Tail0" .. i
  tail[i] = in_bone("Pelvis", (skeleton:rest("Tail0" .. i)))
end

-- A strap of the body's own surface, which follows it, along a plane: `off` is how far a place is from there, `within`
-- how far it is inside of the strap's ends. Cut along one edge after the other, which leaves both straight.
local WIDE, INSET = .024, .0005 -- m: half a strap's width, and how far inside of its edges it is cut out at last
local function strap(body, name, off, within)
  local function above(place) return WIDE + off(place) end
  local function below(place) return WIDE - off(place) end
  local function all(place) return math.min(above(place), below(place), within(place)) - INSET end
  return body:part { name = name, out = 0, within = above }:part { name = name, out = 0, within = below }:part {
    name = name, out = .007, within = all, material = { color = { .15, .07, .04 }, roughness = .5, pattern = "grain" },
  }
end

local meshes = body_wolf(skeleton)
local body = meshes[1]
meshes[#meshes + 1] = strap(body, "breast_strap", -- from the blanket's edge round the breast
  function(place) return .97 * (place[2] - .90) + .246 * (place[3] - .80) end,
  function(place) return place[3] - (FRONT - .06) end)
meshes[#meshes + 1] = strap(body, "girth", function(place) return place[3] - .18 end, function() return 1 end)

return tweed.character {
  skeleton = skeleton,
  clips = { run = tweed.clip { file = FILE, turns = { Spine_Front01 = RAISED } } },
  meshes = meshes,
  colliders = {
    flesh("chest", "Spine_Front02", { 0, .93, .42 }, { .25, .23, .30 }),
    flesh("belly", "Spine_Back01", { 0, .94, 0 }, { .22, .22, .42 }),
    flesh("rump", "Pelvis", { 0, .96, -.48 }, { .22, .21, .28 }),
    limb("thigh_left", "HindLeg_L_01", "HindLeg_L_02", .09),
    limb("thigh_right", "HindLeg_R_01", "HindLeg_R_02", .09),
  },
  garments = {
    half("left", 1), half("right", -1),
    tweed.chain { -- swings about the clip's tail
      name = "tail", bone = "Pelvis", points = tail, follows = tail_bones, fabric = "down",
      pose_stiffness = { base = 2.5, tip = 1 }, pose_damping = .25, angle_limit = { base = 30, tip = 60 },
    },
  },
  on_spawn = function(self, params) self:play(params.clip or "run", { loop = true }) end,
}
