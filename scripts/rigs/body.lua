-- The human's flesh: ellipsoids that clothes lie on, in the spaces of their bones.

local tweed = require "tweed"
local human = require "rigs.human"

local body = {}
local colliders = {}

local function ellipsoid(name, bone, center, radii, rotation)
  colliders[#colliders + 1] = tweed.ellipsoid {
    name = name, bone = bone, center = center, radii = radii, rotation = rotation or { 0, 0, 0, 1 },
  }
end

-- Along a bone to the next, and this much beyond both.
local function limb(name, bone, below, radius, beyond)
  local offset = human.offset[below]
  local length = math.sqrt(offset[1] ^ 2 + offset[2] ^ 2 + offset[3] ^ 2)
  ellipsoid(name, bone, { offset[1] / 2, offset[2] / 2, offset[3] / 2 }, { radius, length / 2 + beyond, radius },
    tweed.quaternion.between({ 0, 1, 0 }, offset))
end

ellipsoid("pelvis", "Hips", { 0, -.03, .010 }, { .160, .120, .118 })
ellipsoid("abdomen", "LowerBack", { 0, .11, .002 }, { .132, .130, .100 })
ellipsoid("chest", "Spine", { 0, .100, -.005 }, { .160, .150, .115 })
ellipsoid("head", "Head", { 0, .060, .015 }, { .075, .110, .095 })
for _, side in ipairs { "Left", "Right" } do
  local tail = "_" .. side:lower()
  limb("thigh" .. tail, side .. "UpLeg", side .. "Leg", .085, .045)
  limb("shin" .. tail, side .. "Leg", side .. "Foot", .055, .030)
  limb("upper_arm" .. tail, side .. "Arm", side .. "ForeArm", .048, .025)
  limb("forearm" .. tail, side .. "ForeArm", side .. "Hand", .040, .020)
end

body.colliders = colliders
-- What a jacket lies on. Not the arms: cloth between two colliders that overlap has nowhere to go.
body.trunk = { "pelvis", "abdomen", "chest", "thigh_left", "thigh_right" }
return body
