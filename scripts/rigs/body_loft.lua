-- A mannequin lofted over a humanoid's flesh, with neck, shoulders, hands and feet.

local tweed = require "tweed"
local vector = require "rigs.vector"
local quaternion = tweed.quaternion

local SIDES = { "left", "right" }

-- A capsule on a bone from a place of model space to another.
local function capsule(man, role, name, from, to, radius, radius_end)
  return tweed.capsule { name = name, bone = man.bone[role] or role, from = man:local_point(role, from),
                         to = man:local_point(role, to), radius = radius, radius_end = radius_end }
end

local function ellipsoid(man, role, name, center, radii, rotation)
  return tweed.ellipsoid { name = name, bone = man.bone[role], center = man:local_point(role, center),
                           radii = radii, rotation = man:local_rotation(role, rotation) }
end

-- A limb from joint to joint, thinner than the flesh, which it shall not leave.
local function add_limb(man, shapes, side, role, below, radius, radius_end)
  role, below = side .. "_" .. role, side .. "_" .. below
  shapes[#shapes + 1] = capsule(man, role, role, (man:at(role)), (man:at(below)), radius * man.size,
    radius_end * man.size)
end

local function add_arm(man, shapes, side)
  local size, hand = man.size, side .. "_hand"
  local shoulder, wrist = man:at(side .. "_upper_arm"), man:at(hand)
  local along = man:way(side .. "_lower_arm", hand)
  along = vector.unit(along)
  local inward = vector.mix(shoulder, (man:at(man.bone.chest)), .5)
  shapes[#shapes + 1] = capsule(man, "chest", side .. "_shoulder",
    { inward[1], shoulder[2] - .035 * size, shoulder[3] },
    vector.add(shoulder, { 0, -.012 * size, 0 }), .060 * size, .040 * size)
  add_limb(man, shapes, side, "upper_arm", "lower_arm", .041, .030)
  add_limb(man, shapes, side, "lower_arm", "hand", .031, .022)
  shapes[#shapes + 1] = ellipsoid(man, hand, side .. "_palm", vector.add(wrist, vector.scale(along, .075 * size)),
    { .020 * size, .090 * size, .042 * size }, quaternion.between({ 0, 1, 0 }, along))
end

local function add_leg(man, shapes, side)
  local size = man.size
  add_limb(man, shapes, side, "upper_leg", "lower_leg", .078, .045)
  add_limb(man, shapes, side, "lower_leg", "foot", .046, .034)
  local ankle, ball = man:at(side .. "_foot"), man:at(side .. "_toes")
  local low = ball[2] - .002 * size
  shapes[#shapes + 1] = capsule(man, side .. "_foot", side .. "_heel", { ankle[1], low + .004 * size, ankle[3] },
    { ball[1], low, ball[3] }, .034 * size, .030 * size)
  shapes[#shapes + 1] = capsule(man, side .. "_toes", side .. "_toe", { ball[1], low, ball[3] },
    { ball[1], low - .006 * size, ball[3] + .045 * size }, .030 * size, .022 * size)
end

-- A bone's line from its joint to the next one; hands, toes and the head end in their flesh.
local function lines(man)
  local bones, head = {}, man:at "head"
  local function line(role, ...) bones[man.bone[role] or role] = { (man:at(role)), ... } end
  line("head", vector.add(head, { 0, .12 * man.size, .015 * man.size }))
  local above = man.parent[man.bone.head]
  if above ~= man.bone.chest then line(above, head) end
  for i, spine in ipairs(man.bone.spines) do
    local next_spine = man.bone.spines[i + 1]
    line(spine, next_spine and man:at(next_spine) or (select(2, man:level(.95))))
  end
  local left, right = man:at "left_upper_leg", man:at "right_upper_leg"
  bones[man.bone.hips] = { left, (man:at "hips"), right }
  for _, side in ipairs(SIDES) do
    local function limb(role, below) line(side .. "_" .. role, (man:at(side .. "_" .. below))) end
    limb("upper_arm", "lower_arm")
    limb("lower_arm", "hand")
    limb("upper_leg", "lower_leg")
    limb("lower_leg", "foot")
    limb("foot", "toes")
    local along = man:way(side .. "_lower_arm", side .. "_hand")
    line(side .. "_hand", vector.add(man:at(side .. "_hand"), vector.scale(along, .12 / vector.length(along))))
    line(side .. "_toes", vector.add(man:at(side .. "_toes"), { 0, -.005 * man.size, .04 * man.size }))
  end
  return bones
end

-- tuck: as of tweed.bind_mesh.
return function(man, tuck)
  local shapes, size = {}, man.size
  for i = 1, 4 do shapes[i] = man.colliders[i] end -- pelvis, abdomen, chest and head
  local _, base = man:level(1)
  shapes[#shapes + 1] = capsule(man, "chest", "neck", vector.add(base, { 0, -.05 * size, 0 }),
    vector.add(man:at "head", { 0, .02 * size, 0 }), .062 * size, .050 * size)
  shapes[#shapes + 1] = capsule(man, "hips", "crotch", vector.add(man:at "left_upper_leg", { 0, -.01 * size, 0 }),
    vector.add(man:at "right_upper_leg", { 0, -.01 * size, 0 }), .075 * size)
  for _, side in ipairs(SIDES) do
    add_arm(man, shapes, side)
    add_leg(man, shapes, side)
  end
  return tweed.bind_mesh {
    name = "body", skeleton = man.skeleton, bones = lines(man),
    mesh = tweed.loft_mesh { skeleton = man.skeleton, shapes = shapes, cell = .0125 },
    tuck = tuck,
    material = { color = { .72, .66, .58 }, roughness = .7, pattern = "smooth" },
  }
end
