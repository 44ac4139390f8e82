-- A wolf, to show that nothing here is about humans: a blanket over its back in two halves sewn along the spine, and
-- its tail as a chain. The skeleton and its motion are those of X/Testwuson.X (Debian: assimp-testmodels).

local tweed = require "tweed"
local body_wolf = require "rigs.body_wolf"
local vector = require "rigs.vector"
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

-- One half: row 0 along the spine, the others round the flank and straight down from there. The columns of the left
-- half run backwards, those of the right half forwards, so that the normals of both point away from the body.
local function half(side, sign)
  local columns, rows, length = 13, 9, .62 -- along the back, down the flank, m
  local front, rear, middle, width, height = .36, -.52, .95, .30, .27
  local from, to = sign > 0 and front or rear, sign > 0 and rear or front
  local spines = { "Spine_Back03", "Spine_Back02", "Spine_Back01", "Spine_Front01", "Spine_Front02" }
  local points, attach = {}, {}
  for row = 0, rows - 1 do
    local down = length * row / (rows - 1)
    local quarter = math.pi / 4 * (width + height)
    local angle = math.min(down / quarter, 1) * math.pi / 2
    for column = 0, columns - 1 do
      local z = from + (to - from) * column / (columns - 1)
      points[#points + 1] = { sign * (.004 + width * math.sin(angle)),
                              middle + height * math.cos(angle) - math.max(0, down - quarter), z }
    end
  end
  for column = 0, columns - 1 do -- each to the spine's bone that is nearest
    local z, nearest, distance = from + (to - from) * column / (columns - 1), nil, math.huge
    for _, bone in ipairs(spines) do
      local off = math.abs(skeleton:rest(bone)[3] - z)
      if off < distance then nearest, distance = bone, off end
    end
    attach[#attach + 1] = { [nearest] = 1 }
  end
  return tweed.cloth {
    name = "blanket_" .. side, fabric = "tweed", rows = rows, columns = columns, positions = points, attach = attach,
    max_distance = { top = 0, bottom = .4 },
  }
end

local tail, tail_bones = { in_bone("Pelvis", (skeleton:rest "Tail01")) }, {}
for i = 2, 6 do
  tail_bones[i - 1] = "Tail0" .. i
  tail[i] = in_bone("Pelvis", (skeleton:rest("Tail0" .. i)))
end

return tweed.character {
  skeleton = skeleton,
  clips = { run = tweed.clip { file = FILE } },
  meshes = body_wolf(skeleton),
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
