-- A wolf's body, lofted over the skeleton of X/Testwuson.X, whose own mesh is a bison's: trunk, head and legs, eyes,
-- nose, and the tail's fur. The trunk fills the colliders of characters/wolf.lua, on which its blanket lies.
--
--   meshes = require "rigs.body_wolf"(skeleton)

local tweed = require "tweed"
local new_cage = require "garments.cage"
local vector = require "rigs.vector"
local quaternion = tweed.quaternion

local FUR = { color = { .40, .37, .34 }, roughness = .95, pattern = "fur" }
local DARK = { color = { .05, .045, .045 }, roughness = .3, pattern = "smooth" }
local AMBER = { color = { .55, .36, .10 }, roughness = .15, pattern = "smooth" }
local NARROW = .66 -- of the way out to the legs' joints: a wolf is narrower than a bison

-- Capsules of the trunk and head, m in model space at rest: from, radius, to, radius. Below the blanket the trunk
-- stays inside of the colliders.
local TRUNK = {
  { { 0, .925, .45 }, .215, { 0, .930, .22 }, .165 }, { { 0, .930, .20 }, .170, { 0, .935, -.05 }, .185 },
  { { 0, .935, -.05 }, .185, { 0, .950, -.30 }, .140 }, { { 0, .950, -.30 }, .140, { 0, .960, -.50 }, .180 },
  { { 0, 1.115, .55 }, .070, { 0, 1.130, .0 }, .055 },
  { { 0, 1.130, .0 }, .055, { 0, 1.12, -.55 }, .065 }, -- the spine
  { { 0, 1.03, .55 }, .155, { 0, 1.06, .62 }, .130 }, -- the withers
  { { 0, 1.00, -.58 }, .150, { 0, 1.17, -.71 }, .080 }, -- the croup
  { { 0, .985, .60 }, .225, { 0, .985, .80 }, .185 }, { { 0, .985, .80 }, .185, { 0, 1.0, 1.0 }, .135 }, -- the neck
  { { 0, .86, .62 }, .160, { 0, .87, .88 }, .110 }, -- the ruff
}
local HEAD = {
  { { 0, 1.010, .98 }, .125, { 0, 1.0, 1.08 }, .100 }, -- the skull
  { { .100, .955, .98 }, .078, { .045, .945, 1.12 }, .046 }, -- the cheeks' fur
  { { -.100, .955, .98 }, .078, { -.045, .945, 1.12 }, .046 },
  { { .046, 1.030, 1.10 }, .026, { .066, 1.022, 1.085 }, .022 }, -- the brows
  { { -.046, 1.030, 1.10 }, .026, { -.066, 1.022, 1.085 }, .022 },
  { { 0, .985, 1.13 }, .048, { 0, .938, 1.375 }, .026 }, -- the bridge of the muzzle
  { { .022, .935, 1.14 }, .044, { .016, .915, 1.365 }, .028 }, -- its sides
  { { -.022, .935, 1.14 }, .044, { -.016, .915, 1.365 }, .028 },
}
-- An ear, wide at its foot: along its edges and its back, up to the tip.
local EAR = {
  { { .050, 1.085, .99 }, .026, { .108, 1.215, .985 }, .004 },
  { { .130, 1.055, .98 }, .026, { .112, 1.215, .985 }, .004 },
  { { .090, 1.075, .965 }, .034, { .110, 1.205, .980 }, .005 },
}
local JAW = { { { 0, .890, 1.12 }, .042, { 0, .872, 1.315 }, .024 } }

-- Down a leg: radii at its joints, how much lower its first joint lies in the flesh, and the paw's length.
local FORE = { bones = { "01", "02", "03", "04", "05" }, radii = { .125, .075, .044, .038, .036 }, low = .13,
               paw = .09 }
local HIND = { bones = { "01", "02", "03", "04" }, radii = { .155, .085, .044, .038 }, low = .07, paw = .10 }

local SPINES = { "Pelvis", "Spine_Back03", "Spine_Back02", "Spine_Back01", "Spine_Front01", "Spine_Front02",
                 "Spine_Front03", "Spine_Front04", "Spine_Front05", "Neck" }

-- Capsules of model space, as tweed.loft_mesh takes them.
local function new_shapes(skeleton)
  local shapes, origin, rotation = {}, skeleton:rest "Root"
  local back = quaternion.inverse(rotation)
  local function place(point) return quaternion.rotate(back, vector.subtract(point, origin)) end
  local function add(from, radius, to, radius_end)
    shapes[#shapes + 1] = tweed.capsule { name = "part_" .. #shapes, bone = "Root", from = place(from), to = place(to),
                                          radius = radius, radius_end = radius_end }
  end
  return shapes, add
end

-- A leg's joints in the surface's own pose, and the tip of its paw.
local function joints_of(skeleton, prefix, leg)
  local joints = {}
  for i, name in ipairs(leg.bones) do
    local position = skeleton:rest(prefix .. name)
    joints[i] = { NARROW * position[1], position[2] - (i == 1 and leg.low or 0), position[3] }
  end
  local last = joints[#joints]
  joints[#joints + 1] = { last[1], .045, last[3] + leg.paw }
  return joints
end

-- The four toes of a paw, spread and curved: each from its knuckle to its tip.
local function toes_of(joints)
  local tip, toes = joints[#joints], {}
  for i, aside in ipairs { -1.5, -.5, .5, 1.5 } do
    local far = math.abs(aside) < 1 and .012 or -.010
    toes[i] = { from = { tip[1] + .022 * aside, .048, tip[3] - .030 + far },
                to = { tip[1] + .031 * aside, .025, tip[3] + .016 + far } }
  end
  return toes
end

local function add_leg(skeleton, add, bones, prefix, leg)
  local joints = joints_of(skeleton, prefix, leg)
  for i, name in ipairs(leg.bones) do
    local radius = leg.radii[i]
    add(joints[i], radius, joints[i + 1], leg.radii[i + 1] or .040)
    bones[prefix .. name] = { joints[i], joints[i + 1] }
  end
  add({ joints[#joints - 1][1], .040, joints[#joints - 1][3] - .01 }, .042, { joints[#joints][1], .034,
      joints[#joints][3] - .05 }, .044) -- the pad
  for _, toe in ipairs(toes_of(joints)) do add(toe.from, .023, toe.to, .021) end
end

-- Claws at the tips of all toes.
local function claws(skeleton)
  local cage, around, rings = new_cage(.001), 6, 4
  for side in pairs { L_ = true, R_ = true } do
    for prefix, leg in pairs { ForeLeg_ = FORE, HindLeg_ = HIND } do
      local bone = prefix .. side .. leg.bones[#leg.bones]
      for _, toe in ipairs(toes_of(joints_of(skeleton, prefix .. side, leg))) do
        local ids = cage:points(rings, around, function(row, column)
          local t, angle = (row - 1) / (rings - 1), (column - 1) / around * 2 * math.pi
          local radius = .0075 * (1 - .92 * t * t)
          return { toe.to[1] + radius * math.cos(angle), toe.to[2] + .004 - .018 * t * t + radius * math.sin(angle),
                   toe.to[3] + .012 + .030 * t }, { [bone] = 1 }
        end)
        for _, ring in ipairs(ids) do ring[#ring + 1] = ring[1] end
        cage:grid(ids, true)
      end
    end
  end
  return cage:mesh("claws", DARK, { sides = "outer", flatten = false, levels = 1 })
end

local function add_all(add, parts)
  for _, part in ipairs(parts) do add(table.unpack(part)) end
end

-- The tail's fur, on the bones of the chain "tail" through these points of model space.
local function tail_mesh(points)
  local cage, around, rings = new_cage(.004), 8, 3 * (#points - 1) + 1
  local ids = cage:points(rings, around, function(row, column)
    local along = math.min((row - 1) / 3, #points - 1 - 1e-6)
    local i = math.floor(along)
    local middle, angle = vector.mix(points[i + 1], points[i + 2], along - i), (column - 1) / around * 2 * math.pi
    local t = (row - 1) / (rings - 1)
    local radius = .040 + .070 * math.sin(math.pi * t ^ .85) - .038 * t ^ 6
    local rooted = math.max(0, 1 - along) ^ 2 -- it grows out of the croup, which lies below the chain
    middle = vector.add(middle, { 0, -.14 * rooted, .06 * rooted })
    local shares, here = {}, math.max(0, along - .5) -- from the middle of a link to the middle of the next one
    local link = math.min(math.floor(here), #points - 3)
    local far = math.min(1, here - link)
    shares[("tail_%d_0"):format(link)], shares[("tail_%d_0"):format(link + 1)] = (1 - far) * (1 - rooted), far
    shares.Pelvis = rooted
    return vector.add(middle, { radius * math.cos(angle), radius * math.sin(angle), 0 }), shares
  end)
  for _, row in ipairs(ids) do row[#row + 1] = row[1] end
  cage:grid(ids)
  return cage:mesh("tail_fur", FUR, { sides = "outer" })
end

-- A mesh that one bone carries.
local function bit(skeleton, name, material, parts)
  local shapes, add = new_shapes(skeleton)
  add_all(add, parts)
  return tweed.bind_mesh {
    name = name, skeleton = skeleton, bones = { Neck = { parts[1][1], vector.add(parts[1][1], { 0, 0, .005 }) } },
    mesh = tweed.loft_mesh { skeleton = skeleton, shapes = shapes, cell = .006, blend = .002 }, material = material,
  }
end

local function eye(skeleton, side, sign)
  return bit(skeleton, "eye_" .. side, AMBER, {
    { { sign * .055, 1.003, 1.164 }, .0145, { sign * .057, 1.003, 1.163 }, .0145 },
  })
end

-- What is dark of an eye: lids, between which a slanted slit is seen, and the pupil.
local function lids(skeleton, side, sign)
  return bit(skeleton, "lids_" .. side, DARK, {
    { { sign * .038, .998, 1.178 }, .005, { sign * .055, 1.013, 1.174 }, .007 },
    { { sign * .055, 1.013, 1.174 }, .007, { sign * .074, 1.011, 1.156 }, .005 },
    { { sign * .038, .996, 1.178 }, .004, { sign * .072, 1.001, 1.158 }, .003 },
    { { sign * .0615, 1.003, 1.1735 }, .0055, { sign * .0615, 1.004, 1.1735 }, .0055 },
  })
end

return function(skeleton)
  local shapes, add = new_shapes(skeleton)
  local bones = {}
  for i, name in ipairs(SPINES) do
    local at, next_one = (skeleton:rest(name)), SPINES[i + 1]
    bones[name] = { at, next_one and (skeleton:rest(next_one)) or { 0, .93, 1.36 } }
  end
  bones.Mouth = { { 0, .88, 1.15 }, { 0, .865, 1.33 } }
  bones.Ear_L, bones.Ear_R = { { .085, 1.10, 1.015 }, { .1, 1.2, 1.0 } }, { { -.085, 1.10, 1.015 }, { -.1, 1.2, 1.0 } }
  local tail = {}
  for i = 1, 6 do tail[i] = skeleton:rest("Tail0" .. i) end
  add_all(add, TRUNK)
  add_all(add, HEAD)
  for _, part in ipairs(EAR) do
    local from, radius, to, radius_end = table.unpack(part)
    add(from, radius, to, radius_end)
    add({ -from[1], from[2], from[3] }, radius, { -to[1], to[2], to[3] }, radius_end)
  end
  add_all(add, JAW)
  for _, side in ipairs { "L_", "R_" } do
    add_leg(skeleton, add, bones, "ForeLeg_" .. side, FORE)
    add_leg(skeleton, add, bones, "HindLeg_" .. side, HIND)
  end
  return {
    tweed.bind_mesh {
      name = "body", skeleton = skeleton, bones = bones, material = FUR,
      mesh = tweed.loft_mesh { skeleton = skeleton, shapes = shapes, cell = .012, blend = .008 },
    },
    tail_mesh(tail), claws(skeleton),
    bit(skeleton, "nose", DARK, {
      { { .010, .944, 1.392 }, .021, { -.010, .944, 1.392 }, .021 },
      { { 0, .926, 1.396 }, .015, { 0, .915, 1.392 }, .008 },
    }),
    eye(skeleton, "left", 1), eye(skeleton, "right", -1),
    lids(skeleton, "left", 1), lids(skeleton, "right", -1),
  }
end
