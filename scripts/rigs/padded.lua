-- A humanoid whose colliders enclose all of its body that cloth may lie on: skull and hair, shoulders, sleeves, hands.
-- Those of rigs/humanoid.lua are for jackets, which have sleeves and a collar of their own: there skull, shoulders and
-- hands stand out of them.
--
--   local lady = require "rigs.padded"(human)     -- for colliders = lady.colliders, veil { body = lady }
--
-- Adds shoulder_left, shoulder_right, hand_left and hand_right; all else of the humanoid stays.

local tweed = require "tweed"
local vector = require "rigs.vector"
local quaternion = tweed.quaternion

-- m at size 1: the middle of the skull from the head's joint, and its half axes with hair.
local HEAD = { center = { -.002, .062, .014 }, radii = { .089, .134, .116 } }
local THICKER = { -- m across and at each end
  upper_arm = { .018, .045 }, forearm = { .014, .010 }, chest = { .014, 0 },
}
local SHOULDER = { center = { -.078, -.006, .004 }, radii = { .132, .098, .098 } } -- from the arm's joint, to the left
local HAND = { along = .085, radii = { .052, .135, .086 } }

local function ellipsoid(man, name, bone, center, radii, rotation)
  return tweed.ellipsoid { name = name, bone = bone, center = man:local_point(bone, center),
                           radii = vector.scale(radii, man.size), rotation = man:local_rotation(bone, rotation) }
end

local function thicker(shape, man)
  local more = THICKER[shape.name:match "^(.*)_left$" or shape.name:match "^(.*)_right$" or shape.name]
  if not more then return shape end
  local across, along = more[1] * man.size, more[2] * man.size
  return tweed.ellipsoid {
    name = shape.name, bone = shape.bone, center = shape.center, rotation = shape.rotation,
    radii = { shape.radii[1] + across, shape.radii[2] + along, shape.radii[3] + across },
  }
end

local function add_side(man, colliders, side, sign)
  local size, upright = man.size, { 0, 0, 0, 1 }
  local shoulder, wrist = (man:at(side .. "_upper_arm")), (man:at(side .. "_hand"))
  local way = man:way(side .. "_lower_arm", side .. "_hand")
  way = vector.unit(way)
  local aside = { sign * SHOULDER.center[1], SHOULDER.center[2], SHOULDER.center[3] }
  colliders[#colliders + 1] = ellipsoid(man, "shoulder_" .. side, man.bone[side .. "_shoulder"],
    vector.add(shoulder, vector.scale(aside, size)), SHOULDER.radii, upright)
  colliders[#colliders + 1] = ellipsoid(man, "hand_" .. side, man.bone[side .. "_hand"],
    vector.add(wrist, vector.scale(way, HAND.along * size)), HAND.radii, quaternion.between({ 0, 1, 0 }, way))
end

return function(man)
  local colliders = {}
  for i, shape in ipairs(man.colliders) do
    colliders[i] = shape.name == "head"
      and ellipsoid(man, "head", man.bone.head, vector.add((man:at "head"), vector.scale(HEAD.center, man.size)),
        HEAD.radii, { 0, 0, 0, 1 })
      or thicker(shape, man)
  end
  add_side(man, colliders, "left", 1)
  add_side(man, colliders, "right", -1)
  return setmetatable({ colliders = colliders }, { __index = man })
end
