-- Humanoids of some conventions of names: who plays which role, whether flesh and jacket fit, whether feet slide.

local tweed = require "tweed"
local humanoid = require "rigs.humanoid"
local gait = require "rigs.gait"
local pose = require "rigs.pose"
local vector = require "rigs.vector"
local jacket = require "garments.jacket"
local quaternion = tweed.quaternion

-- A body of that height in a T-pose, each bone turned about Y by some angle of its own, as exporters leave them.
local function body(names, scale, turn)
  local places = {
    { "hips", nil, 0, .95, 0 }, { "spine", "hips", 0, 1.06, 0 }, { "chest", "spine", 0, 1.24, 0 },
    { "neck", "chest", 0, 1.45, 0 }, { "head", "neck", 0, 1.55, .02 },
  }
  for side, sign in pairs { left = 1, right = -1 } do
    local function add(role, parent, x, y, z) places[#places + 1] = { side .. role, parent, sign * x, y, z } end
    add("_shoulder", "chest", .04, 1.42, 0)
    add("_upper_arm", side .. "_shoulder", .17, 1.42, 0)
    add("_lower_arm", side .. "_upper_arm", .45, 1.42, 0)
    add("_hand", side .. "_lower_arm", .70, 1.42, 0)
    add("_upper_leg", "hips", .09, .90, 0)
    add("_lower_leg", side .. "_upper_leg", .09, .50, .01)
    add("_foot", side .. "_lower_leg", .09, .09, 0)
    add("_toes", side .. "_foot", .09, .02, .13)
  end
  local bones, at = {}, {}
  for i, place in ipairs(places) do
    local role, parent = place[1], place[2]
    local rotation = turn and quaternion.axis_angle({ .3, 1, .2 }, i) or { 0, 0, 0, 1 }
    local position = vector.scale({ place[3], place[4], place[5] }, scale)
    local above = parent and at[parent] or { position = { 0, 0, 0 }, rotation = { 0, 0, 0, 1 } }
    local back = quaternion.inverse(above.rotation)
    bones[i] = { name = names[role] or role, parent = parent and (names[parent] or parent),
                 position = quaternion.rotate(back, vector.subtract(position, above.position)),
                 rotation = quaternion.multiply(back, rotation) }
    at[role] = { position = position, rotation = rotation }
  end
  return bones
end

local function named(prefix, left, right, limbs)
  local names = { hips = prefix .. limbs.hips, head = prefix .. limbs.head }
  for role, name in pairs(limbs) do
    names["left_" .. role], names["right_" .. role] = prefix .. left .. name, prefix .. right .. name
  end
  return names
end

local mixamo = named("mixamorig9:", "Left", "Right", { hips = "Hips", head = "Head", shoulder = "Shoulder",
  upper_arm = "Arm", lower_arm = "ForeArm", hand = "Hand", upper_leg = "UpLeg", lower_leg = "Leg", foot = "Foot",
  toes = "ToeBase" })
local vrm = named("", "left", "right", { hips = "hips", head = "head", shoulder = "Shoulder", upper_arm = "UpperArm",
  lower_arm = "LowerArm", hand = "Hand", upper_leg = "UpperLeg", lower_leg = "LowerLeg", foot = "Foot", toes = "Toes" })
local rigify = { hips = "DEF-spine", head = "DEF-spine.006" }
for role, name in pairs { upper_arm = "upper_arm", lower_arm = "forearm", hand = "hand", upper_leg = "thigh",
                          lower_leg = "shin", foot = "foot", toes = "toe" } do
  rigify["left_" .. role], rigify["right_" .. role] = "DEF-" .. name .. ".L", "DEF-" .. name .. ".R"
end

local function near(a, b, tolerance, what)
  assert(math.abs(a - b) <= tolerance, ("%s: expected %g, found %g"):format(what, b, a))
end

-- Where all bones are in a frame, the root's way included.
local function solve(man, frame)
  local at = {}
  for _, bone in ipairs(man.skeleton.bones) do
    local own, above = frame[bone.name] or {}, at[bone.parent]
    above = above or { position = { frame.root.x, 0, frame.root.z }, rotation = { 0, 0, 0, 1 } }
    at[bone.name] = {
      position = vector.add(above.position, quaternion.rotate(above.rotation, own.position or bone.position)),
      rotation = quaternion.multiply(above.rotation, own.rotation or bone.rotation),
    }
  end
  return at
end

-- Heel and ball of a foot.
local function sole_at(man, at, side)
  local name, ends = man.bone[side .. "_foot"], {}
  local turned = quaternion.multiply(at[name].rotation, quaternion.inverse(man.rest[name].rotation))
  for part, offset in pairs(pose.sole(man, side)) do
    ends[part] = vector.add(at[name].position, quaternion.rotate(turned, offset))
  end
  return ends
end

-- While a foot stands, its heel or its ball stays where it is to .1 mm in 1/120 s, and nothing is below the ground.
local function assert_feet_hold(man, make, options, stance)
  local define, definition = tweed.clip, nil
  tweed.clip = function(values) definition = values; return define(values) end
  options.body = man
  make(options)
  tweed.clip = define
  local ground = pose.ground(man)
  for side, from in pairs { left = 0, right = .5 } do
    local before
    for i = 0, math.floor(stance * definition.duration * 120) do
      local t = i / 120 + from * definition.duration
      local ends = sole_at(man, solve(man, definition.sample(t)), side)
      near(math.min(ends.heel[2], ends.ball[2]), ground, 1e-4, "height of a standing foot")
      if before then
        local slid = math.min(vector.length(vector.subtract(ends.heel, before.heel)),
          vector.length(vector.subtract(ends.ball, before.ball)))
        near(slid, 0, 1e-4, ("%g m/s, %s foot slides"):format(options.speed, side))
      end
      before = ends
    end
  end
end

-- Children before their parents, as tweed.skeleton takes them too.
local function any_order(bones)
  local turned = {}
  for i, bone in ipairs(bones) do turned[#bones + 1 - i] = bone end
  return turned
end

local people = {
  humanoid { skeleton = body(mixamo, 1.1, true) }, humanoid { skeleton = any_order(body(vrm, .8, false)) },
  humanoid { skeleton = body({}, 1, false), bones = { -- no convention at all
    left_upper_arm = "left_upper_arm", right_upper_arm = "right_upper_arm", left_lower_arm = "left_lower_arm",
    right_lower_arm = "right_lower_arm", left_hand = "left_hand", right_hand = "right_hand",
    left_upper_leg = "left_upper_leg", right_upper_leg = "right_upper_leg", left_lower_leg = "left_lower_leg",
    right_lower_leg = "right_lower_leg", left_foot = "left_foot", right_foot = "right_foot",
    left_toes = "left_toes", right_toes = "right_toes" } },
  humanoid { skeleton = body(rigify, 1.2, true) },
}
local garments = {}
for i, man in ipairs(people) do
  local scale = ({ 1.1, .8, 1, 1.2 })[i]
  assert(man.bone.chest == (man.bone.chest:match "chest") and man.bone.spine == "spine" and man.bone.neck == "neck")
  near(man:level(0) - man:level(-1), .4 * scale, .004 * scale, "thigh")
  near(man:level(1) - man:level(0), .52 * scale, 1e-5, "trunk")
  assert(#man.colliders == 12 and #man.trunk == 5)
  local toes = man:at "left_toes"
  near(toes[2], .03 * man.size, 1e-5, "toes on the ground")
  for _, speed in ipairs { .5, 1.4, 2.2 } do assert_feet_hold(man, gait.walk, { speed = speed }, .60) end
  for _, speed in ipairs { 2, 3.5, 6 } do assert_feet_hold(man, gait.run, { speed = speed }, .36 - .026 * speed) end
  garments[i] = jacket { name = "jacket_" .. i, body = man }
end

return tweed.character { skeleton = people[1].skeleton, colliders = people[1].colliders, garments = { garments[1] } }
