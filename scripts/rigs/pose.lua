-- Poses of a humanoid from joint angles: how far each bone turns from the rest pose, about the model's axes at rest
-- (+X to the left, +Y up, +Z forward), whatever axes the bone itself has. A bone below goes along with it.
--
--   local pose = require "rigs.pose"
--   local turns = { left_upper_arm = pose.turn(pose.Z, 60) }   -- by role
--   return pose.frame(man, turns)                              -- what a clip's sample returns

local tweed = require "tweed"
local vector = require "rigs.vector"
local quaternion = tweed.quaternion

local pose = { X = { 1, 0, 0 }, Y = { 0, 1, 0 }, Z = { 0, 0, 1 } }

local IDENTITY = { 0, 0, 0, 1 }

-- A turn by degrees about an axis.
function pose.turn(axis, degrees) return quaternion.axis_angle(axis, math.rad(degrees)) end

-- Turns, the last one first.
pose.after = quaternion.multiply

-- A knee's or an elbow's turn: about the axis across a bone that points down and sideways. Forward counts up.
function pose.hinge(man, upper, lower, degrees)
  local way = man:way(upper, lower)
  return pose.turn({ -way[2], way[1], 0 }, -degrees)
end

local function above(man, name)
  local parent = man.parent[name]
  return parent and man.rest[parent].rotation or IDENTITY
end

-- { ROLE = turn } as a clip's frame wants it: { BONE = { rotation = in the parent's space } }.
function pose.frame(man, turns)
  local frame = {}
  for role, turn in pairs(turns) do
    local name = assert(man.bone[role], role)
    local back = quaternion.inverse(above(man, name))
    frame[name] = { rotation = quaternion.multiply(back, turn, man.rest[name].rotation) }
  end
  return frame
end

-- Puts the hips, of a frame that pose.frame made, somewhere in model space.
function pose.place_hips(man, frame, position)
  local name = man.bone.hips
  local parent = man.parent[name]
  local origin = parent and man.rest[parent].position or { 0, 0, 0 }
  frame[name] = frame[name] or {}
  frame[name].position = quaternion.rotate(quaternion.inverse(above(man, name)), vector.subtract(position, origin))
end

-- Where a leg's joints are, the hips being the origin, and how the bones below them are turned: hip, knee, ankle, toes.
function pose.leg(man, turns, side)
  local turned, last = turns.hips or IDENTITY, "hips"
  local at, joints = { 0, 0, 0 }, {}
  for _, part in ipairs { "upper_leg", "lower_leg", "foot", "toes" } do
    local role = side .. "_" .. part
    at, last = vector.add(at, quaternion.rotate(turned, man:way(last, role))), role
    turned = quaternion.multiply(turned, turns[role] or IDENTITY)
    joints[part] = { at = at, turned = turned }
  end
  return joints
end

-- The sole's two ends at rest, from the ankle, m: the heel and the ball, on which a foot rolls. The toes bend, they
-- carry nothing.
function pose.sole(man, side)
  local ball = man:way(side .. "_foot", side .. "_toes")
  return { heel = { 0, ball[2], -.05 * man.size }, ball = ball }
end

-- The lower of a foot's heel and ball, where the hips are the origin.
local function lowest(man, turns, side)
  local foot, sole = pose.leg(man, turns, side).foot, pose.sole(man, side)
  return math.min(foot.at[2] + quaternion.rotate(foot.turned, sole.heel)[2],
    foot.at[2] + quaternion.rotate(foot.turned, sole.ball)[2])
end

-- How high the hips are when the lower foot stands on the ground.
function pose.hips_height(man, turns)
  local ground = math.min(man:at("left_toes")[2], man:at("right_toes")[2])
  return ground - math.min(lowest(man, turns, "left"), lowest(man, turns, "right"))
end

-- Turns a leg so that its ankle comes to a place, the hips being the origin, and its foot is turned as told (in model
-- space): hip and knee by the law of cosines, the knee staying in the plane it was in. Farther than the leg reaches,
-- the ankle stays on the way there, at REACH of the leg's length.
local REACH = .999
function pose.plant(man, turns, side, ankle, foot)
  local joints = pose.leg(man, turns, side)
  local hip, knee, old = joints.upper_leg.at, joints.lower_leg.at, joints.foot.at
  local upper, lower = vector.length(vector.subtract(knee, hip)), vector.length(vector.subtract(old, knee))
  local way = vector.subtract(ankle, hip)
  local distance = math.min(vector.length(way), REACH * (upper + lower))
  distance = math.max(distance, math.abs(upper - lower) + .01 * (upper + lower))
  way = vector.scale(way, distance / vector.length(way))

  -- The knee: so far along the way, and off it to the side where it was before the leg swung over.
  local swing = quaternion.between(vector.subtract(old, hip), way)
  local side_of_knee = quaternion.rotate(swing, vector.subtract(knee, hip))
  side_of_knee = vector.subtract(side_of_knee, vector.scale(way, vector.dot(side_of_knee, way) / distance ^ 2))
  local off = vector.length(side_of_knee)
  if off < 1e-6 then side_of_knee, off = { 0, 0, 1 }, 1 end
  local along = (distance ^ 2 + upper ^ 2 - lower ^ 2) / (2 * distance)
  local out = math.sqrt(math.max(0, upper ^ 2 - along ^ 2))
  local new_knee = vector.add(vector.scale(way, along / distance), vector.scale(side_of_knee, out / off))

  local function lead(role, parent_turned, from, to, was)
    local turn = quaternion.multiply(quaternion.between(from, to), was)
    turns[role] = quaternion.multiply(quaternion.inverse(parent_turned), turn)
    return turn
  end
  local hips = turns.hips or IDENTITY
  local thigh = lead(side .. "_upper_leg", hips, vector.subtract(knee, hip), new_knee, joints.upper_leg.turned)
  local shin_now = quaternion.rotate(thigh, quaternion.rotate(turns[side .. "_lower_leg"] or IDENTITY,
    man:way(side .. "_lower_leg", side .. "_foot")))
  local shin = lead(side .. "_lower_leg", thigh, shin_now, vector.subtract(way, new_knee),
    quaternion.multiply(thigh, turns[side .. "_lower_leg"] or IDENTITY))
  turns[side .. "_foot"] = quaternion.multiply(quaternion.inverse(shin), foot)
end

return pose
