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

-- The height of a standing foot's ball.
function pose.ground(man) return math.min(man:at("left_toes")[2], man:at("right_toes")[2]) end

-- How high the hips are when the lower foot stands on the ground.
function pose.hips_height(man, turns)
  return pose.ground(man) - math.min(lowest(man, turns, "left"), lowest(man, turns, "right"))
end

-- Where a role's joint is, the hips being the origin, and how its bone is turned; last, how the bone above is turned.
function pose.joint(man, turns, role)
  local turn_of, chain = {}, {}
  for turned, turn in pairs(turns) do turn_of[man.bone[turned] or turned] = turn end
  local name, hips = man.bone[role], man.bone.hips
  while name ~= hips do
    chain[#chain + 1] = name
    name = assert(man.parent[name], role)
  end
  local at, turned, before, last = { 0, 0, 0 }, turn_of[hips] or IDENTITY, IDENTITY, hips
  for i = #chain, 1, -1 do
    name, before = chain[i], turned
    local way = vector.subtract(man.rest[name].position, man.rest[last].position)
    at, last = vector.add(at, quaternion.rotate(turned, way)), name
    turned = quaternion.multiply(turned, turn_of[name] or IDENTITY)
  end
  return at, turned, before
end

-- Turns a bone so that the next one's joint lies towards a place, the hips being the origin.
function pose.aim(man, turns, role, below, place)
  local at, turned, before = pose.joint(man, turns, role)
  local way = quaternion.rotate(turned, man:way(role, below))
  local turn = quaternion.between(way, vector.subtract(place, at))
  turns[role] = quaternion.multiply(quaternion.inverse(before), turn, turned)
end

-- Bends a limb of two bones so that its tip comes to a place, the hips being the origin: by the law of cosines, the
-- middle joint towards `pole`, a direction, or staying in the plane it was in. Farther than the limb reaches, the tip
-- stays on the way there, at REACH of its length.
local REACH = .999
local function bend(man, turns, roles, place, pole)
  local upper, lower, tip = table.unpack(roles)
  local start = pose.joint(man, turns, upper)
  local middle, old = (pose.joint(man, turns, lower)), (pose.joint(man, turns, tip))
  local first, second = vector.length(vector.subtract(middle, start)), vector.length(vector.subtract(old, middle))
  local way = vector.subtract(place, start)
  local distance = math.min(vector.length(way), REACH * (first + second))
  distance = math.max(distance, math.abs(first - second) + .01 * (first + second))
  way = vector.scale(way, distance / vector.length(way))

  -- The middle joint: so far along the way, and off it to the side where it was before the limb swung over.
  local swing = quaternion.between(vector.subtract(old, start), way)
  local aside = pole or quaternion.rotate(swing, vector.subtract(middle, start))
  aside = vector.subtract(aside, vector.scale(way, vector.dot(aside, way) / distance ^ 2))
  local off = vector.length(aside)
  if off < 1e-6 then aside, off = { 0, 0, 1 }, 1 end
  local along = (distance ^ 2 + first ^ 2 - second ^ 2) / (2 * distance)
  local out = math.sqrt(math.max(0, first ^ 2 - along ^ 2))
  pose.aim(man, turns, upper, lower,
    vector.add(start, vector.add(vector.scale(way, along / distance), vector.scale(aside, out / off))))
  pose.aim(man, turns, lower, tip, vector.add(start, way))
end

-- Puts a foot down: its ankle comes to a place, the hips being the origin, and it is turned as told (in model space).
function pose.plant(man, turns, side, ankle, foot)
  bend(man, turns, { side .. "_upper_leg", side .. "_lower_leg", side .. "_foot" }, ankle)
  local _, _, shin = pose.joint(man, turns, side .. "_foot")
  turns[side .. "_foot"] = quaternion.multiply(quaternion.inverse(shin), foot)
end

-- Stretches an arm out for a place: there the wrist comes, the hips being the origin. elbow: a direction that the elbow
-- points to, by default as it did. hand: how the hand is turned in model space, by default as on the forearm.
function pose.reach(man, turns, side, wrist, elbow, hand)
  bend(man, turns, { side .. "_upper_arm", side .. "_lower_arm", side .. "_hand" }, wrist, elbow)
  if not hand then return end
  local _, _, forearm = pose.joint(man, turns, side .. "_hand")
  turns[side .. "_hand"] = quaternion.multiply(quaternion.inverse(forearm), hand)
end

-- While it runs
-- -------------

-- How a character of the world has its bones, from a role's up to the hips, in the coming tick: turns by role, or by
-- name where a bone has none. And where its hips are, in model space.
function pose.now(self, man, role)
  local role_of, turns, hips = {}, {}, man.bone.hips
  for other, name in pairs(man.bone) do
    if type(name) == "string" then role_of[name] = other end
  end
  local function turned(name) -- from rest, in model space
    local _, rotation = self:bone(name)
    return quaternion.multiply(rotation, quaternion.inverse(man.rest[name].rotation))
  end
  local name = man.bone[role]
  local own = turned(name)
  while name ~= hips do
    local parent = man.parent[name]
    local higher = turned(parent)
    turns[role_of[name] or name] = quaternion.multiply(quaternion.inverse(higher), own)
    name, own = parent, higher
  end
  turns.hips = own
  return turns, (self:bone(hips))
end

local ARM = { "_upper_arm", "_lower_arm", "_hand" }

-- The names of an arm's bones, for self:release.
function pose.arm(man, side)
  local names = {}
  for i, part in ipairs(ARM) do names[i] = man.bone[side .. part] end
  return names
end

-- As pose.reach, for a character of the world in the coming tick, whatever else it does: the wrist comes to a place in
-- model space. To be called in each tick.
function pose.drive_arm(self, man, side, wrist, elbow, hand)
  local turns, hips = pose.now(self, man, side .. "_hand")
  pose.reach(man, turns, side, vector.subtract(wrist, hips), elbow, hand)
  local arm = {}
  for _, part in ipairs(ARM) do arm[side .. part] = turns[side .. part] end
  self:pose(pose.frame(man, arm))
end

return pose
