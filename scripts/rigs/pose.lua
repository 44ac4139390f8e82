-- Poses of the human from joint angles: how far each bone turns from the rest pose, about the model's axes at rest
-- (+X to the left, +Y up, +Z forward), whatever axes the bone itself has. A bone below goes along with it.

local tweed = require "tweed"
local human = require "rigs.human"
local quaternion = tweed.quaternion

local pose = { X = { 1, 0, 0 }, Y = { 0, 1, 0 }, Z = { 0, 0, 1 } }

local IDENTITY = { 0, 0, 0, 1 }
local parent, rest = {}, {}
for _, bone in ipairs(human.skeleton.bones) do
  local position, rotation = human.skeleton:rest(bone.name)
  parent[bone.name] = bone.parent
  rest[bone.name] = { position = position, rotation = rotation }
end

-- A turn by degrees about an axis.
function pose.turn(axis, degrees) return quaternion.axis_angle(axis, math.rad(degrees)) end

-- Turns, the last one first.
pose.after = quaternion.multiply

-- A knee's or an elbow's turn: about the axis across a bone that points down and sideways. Forward counts up.
function pose.hinge(bone, below, degrees)
  local from, to = rest[bone].position, rest[below].position
  return pose.turn({ from[2] - to[2], to[1] - from[1], 0 }, -degrees)
end

-- { BONE = turn } as a clip's frame wants it: { BONE = { rotation = in the parent's space } }.
function pose.frame(turns)
  local frame = {}
  for bone, turn in pairs(turns) do
    local above = parent[bone] and rest[parent[bone]].rotation or IDENTITY
    frame[bone] = { rotation = quaternion.multiply(quaternion.inverse(above), turn, rest[bone].rotation) }
  end
  return frame
end

-- The lower of a foot's heel and ball, and its ankle, where the hips are the origin. The toes bend, they carry nothing.
local function foot(turns, side)
  local turned = turns.Hips or IDENTITY
  local at, last = { 0, 0, 0 }, "Hips"
  local function go(to)
    local step = quaternion.rotate(turned, { to[1] - rest[last].position[1], to[2] - rest[last].position[2],
                                             to[3] - rest[last].position[3] })
    return { at[1] + step[1], at[2] + step[2], at[3] + step[3] }
  end
  for _, joint in ipairs { "UpLeg", "Leg", "Foot" } do
    at, last = go(rest[side .. joint].position), side .. joint
    turned = quaternion.multiply(turned, turns[last] or IDENTITY)
  end
  local ankle, toes = rest[last].position, rest[side .. "ToeBase"].position
  local heel = go { ankle[1], toes[2], ankle[3] - .05 }
  return math.min(heel[2], go(toes)[2]), at
end

-- How high the hips are when the lower foot stands on the ground.
function pose.hips_height(turns)
  local ground = math.min(rest.LeftToeBase.position[2], rest.RightToeBase.position[2])
  return ground - math.min(foot(turns, "Left"), (foot(turns, "Right")))
end

-- How far in front of the hips an ankle is.
function pose.ankle_forward(turns, side)
  local _, ankle = foot(turns, side)
  return ankle[3]
end

return pose
