-- A humanoid's flesh: ellipsoids that clothes lie on, in the spaces of their bones, fitted to its proportions.
--
-- Returns them, the names of those that garments are cut to and follow (not the arms and shins, which they only meet),
-- spheres for the knees, and what trousers and a coat's sleeves add: the colliders of one who is clothed.

local tweed = require "tweed"
local vector = require "rigs.vector"
local quaternion = tweed.quaternion

-- Along the trunk: the level of the center (see humanoid.lua), how far it lies before the joints there (m at size 1),
-- half widths and depths (m at size 1) and half heights (parts of the trunk, from hip to shoulder joints).
local TRUNK = {
  { name = "pelvis", level = .175, before = .010, width = .160, depth = .118, height = .296 },
  { name = "abdomen", level = .521, before = -.0035, width = .132, depth = .100, height = .321 },
  { name = "chest", level = .780, before = 0, width = .160, depth = .115, height = .370 },
}
local HIP_FLESH = .05 -- m from the hip joint out to the side, at size 1

-- Along a limb to the next joint and this much beyond both, and how wide a coat's sleeve is there; m at size 1.
local LIMBS = {
  { name = "thigh", role = "upper_leg", below = "lower_leg", radius = .085, beyond = .045 },
  { name = "shin", role = "lower_leg", below = "foot", radius = .055, beyond = .030 },
  { name = "upper_arm", role = "upper_arm", below = "lower_arm", radius = .042, beyond = .025 },
  { name = "forearm", role = "lower_arm", below = "hand", radius = .036, beyond = .020, sleeve = .052 },
}
-- Between thigh and shin, which taper there: how far from the joint and how wide; m at size 1. So small a shape is for
-- cloth of small cells: wider ones sink into it between their particles.
local KNEE = { center = { 0, -.012, .010 }, radius = .050 }

-- Across the hips at the top of the thighs, where trousers reach from one to the other, and over the seat when a thigh
-- is raised: m from the middle of the hip joints, half widths, m at size 1. It keeps a coat out of the gap between
-- them.
local SEAT = { center = { 0, -.060, -.035 }, radii = { .160, .105, .100 } }

-- Coats meet hands, too, which would reach through a flap: m along the forearm from the wrist to the middle, half
-- widths, m at size 1.
local HAND = { along = .080, radii = { .032, .098, .032 } }

local function upright(man, bone, name, center, radii)
  return tweed.ellipsoid {
    name = name, bone = bone, center = man:local_point(bone, center), radii = radii,
    rotation = man:local_rotation(bone, { 0, 0, 0, 1 }),
  }
end

local function trunk_part(man, part)
  local size, bone, width = man.size, man.bone.hips, part.width * man.size
  local height, joints = man:level(part.level)
  if part.name == "pelvis" then -- legs may set out from before or behind the hips
    joints = man:at(bone)
    width = math.max(width, man:way("right_upper_leg", "left_upper_leg")[1] / 2 + HIP_FLESH * size)
  else
    bone = man:trunk_at(height)
  end
  return upright(man, bone, part.name, { man:at(bone)[1], height, joints[3] + part.before * size },
    { width, part.height * (man:level(1) - man:level(0)), part.depth * size })
end

local function limb(man, side, part, radius)
  local role, size = side .. "_" .. part.role, man.size
  local way = man:way(role, side .. "_" .. part.below)
  local start = man:at(role)
  return tweed.ellipsoid {
    name = part.name .. "_" .. side, bone = man.bone[role],
    center = man:local_point(role, vector.add(start, vector.scale(way, .5))),
    radii = { radius * size, vector.length(way) / 2 + part.beyond * size, radius * size },
    rotation = man:local_rotation(role, quaternion.between({ 0, 1, 0 }, way)),
  }
end

local function knee(man, side)
  local role = side .. "_lower_leg"
  local center = vector.add((man:at(role)), vector.scale(KNEE.center, man.size))
  return tweed.sphere {
    name = "knee_" .. side, bone = man.bone[role], center = man:local_point(role, center),
    radius = KNEE.radius * man.size,
  }
end

local function hand(man, side)
  local role = side .. "_hand"
  local way = vector.unit(man:way(side .. "_lower_arm", role))
  return tweed.ellipsoid {
    name = "hand_" .. side, bone = man.bone[role],
    center = man:local_point(role, vector.add((man:at(role)), vector.scale(way, HAND.along * man.size))),
    radii = vector.scale(HAND.radii, man.size),
    rotation = man:local_rotation(role, quaternion.between({ 0, 1, 0 }, way)),
  }
end

local function seat(man)
  local joints = vector.mix((man:at "left_upper_leg"), (man:at "right_upper_leg"), .5)
  return upright(man, man.bone.hips, "seat", vector.add(joints, vector.scale(SEAT.center, man.size)),
    vector.scale(SEAT.radii, man.size))
end

local function head(man)
  local size = man.size
  return upright(man, man.bone.head, "head", vector.add((man:at "head"), { 0, .060 * size, .015 * size }),
    { .075 * size, .110 * size, .095 * size })
end

return function(man)
  local colliders, trunk, knees, clothed = {}, {}, {}, { seat(man) }
  for _, part in ipairs(TRUNK) do
    colliders[#colliders + 1] = trunk_part(man, part)
    trunk[#trunk + 1] = part.name
  end
  colliders[#colliders + 1] = head(man)
  table.move(colliders, 1, #colliders, #clothed + 1, clothed)
  for _, side in ipairs { "left", "right" } do
    for _, part in ipairs(LIMBS) do
      local bare = limb(man, side, part, part.radius)
      colliders[#colliders + 1] = bare
      clothed[#clothed + 1] = part.sleeve and limb(man, side, part, part.sleeve) or bare
    end
    clothed[#clothed + 1] = hand(man, side)
    knees[#knees + 1] = knee(man, side)
    trunk[#trunk + 1] = "thigh_" .. side
  end
  return colliders, trunk, knees, clothed
end
