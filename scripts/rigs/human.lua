-- The human that the shipped characters share: CMU's motion-capture skeleton from BVH/01_01.bvh where it can be had
-- (Debian: assimp-testmodels), else the built-in biped of the same bones and proportions.
--
-- The file's rest pose is its pose of zero angles: legs splayed, arms out. Clothes are cut at rest, so here the rest
-- pose is put right: standing, legs nearly straight down, arms hanging away from the body. A clip gives each bone's
-- whole rotation in its parent's space, so the file's clips fit all the same.

local tweed = require "tweed"

local FILE = "BVH/01_01.bvh"
local SOLE = .03 -- m from the ground to the lowest bone

local human = {
  file = nil,     -- where there is motion for it
  skeleton = nil,
  offset = {},    -- by bone's name: where it hangs, in the parent's space
}

local has_file, reason = tweed.has_asset(FILE)
local bones
if has_file then
  human.file = FILE
  bones = tweed.import(FILE).bones
else
  bones = require "rigs.biped"
  tweed.log("info", "the built-in biped takes the human's place: " .. reason)
end

local by_name = {}
for _, bone in ipairs(bones) do
  bone.rotation = { 0, 0, 0, 1 }
  by_name[bone.name] = bone
  human.offset[bone.name] = bone.position
end

-- Turns a bone so that the one below it hangs down, this many degrees away from the body.
local function hang(bone, below, degrees)
  local offset, angle = human.offset[below], math.rad(degrees)
  local side = offset[1] > 0 and 1 or -1
  local upper = by_name[bone]
  upper.rotation = tweed.quaternion.between(offset, { side * math.sin(angle), -math.cos(angle), 0 })
end

for _, side in ipairs { "Left", "Right" } do
  hang(side .. "UpLeg", side .. "Leg", 4)
  hang(side .. "Arm", side .. "ForeArm", 40)
end

local function lowest_height(skeleton)
  local lowest = math.huge
  for _, bone in ipairs(bones) do lowest = math.min(lowest, skeleton:rest(bone.name)[2]) end
  return lowest
end

local hips = by_name.Hips
hips.position = { 0, 0, 0 }
hips.position = { 0, SOLE - lowest_height(tweed.skeleton(bones)), 0 }
human.skeleton = tweed.skeleton(bones)

return human
