-- Arms that reach: the wrist comes to the place, bones keep their lengths, the elbow goes where it is told.
local tweed = require "tweed"
local human = require "rigs.human"
local pose = require "rigs.pose"
local vector = require "rigs.vector"
local quaternion = tweed.quaternion

local function near(a, b, what)
  local distance = vector.length(vector.subtract(a, b))
  assert(distance < 1e-6, ("%s: off by %g"):format(what, distance))
end

local function length(a, b) return vector.length(vector.subtract(a, b)) end

for side, sign in pairs { left = 1, right = -1 } do
  local arm, forearm, hand = side .. "_upper_arm", side .. "_lower_arm", side .. "_hand"
  for _, offset in ipairs { { .2, .2, .3 }, { .3, -.1, .1 }, { -.1, .1, .3 }, { 0, .35, .05 } } do
    local turns = { hips = pose.turn(pose.Y, 20), spine = pose.turn(pose.X, 25) }
    turns[forearm] = pose.turn(pose.Y, -30 * sign)
    local shoulder = pose.joint(human, turns, arm)
    local place = vector.add(shoulder, { sign * offset[1], offset[2], offset[3] })
    local turned = quaternion.axis_angle({ 0, 1, 0 }, .3)
    pose.reach(human, turns, side, place, { 0, -1, 0 }, turned)
    local elbow = pose.joint(human, turns, forearm)
    local wrist, hand_turned = pose.joint(human, turns, hand)
    near((pose.joint(human, turns, arm)), shoulder, "shoulder")
    near(wrist, place, "wrist")
    assert(math.abs(length(elbow, shoulder) - vector.length(human:way(arm, forearm))) < 1e-9)
    assert(math.abs(length(elbow, wrist) - vector.length(human:way(forearm, hand))) < 1e-9)
    -- below the line from shoulder to wrist, in the vertical plane through it
    local way = vector.subtract(wrist, shoulder)
    local level = vector.cross(way, { 0, -1, 0 })
    local bow = vector.subtract(elbow, shoulder)
    assert(math.abs(vector.dot(bow, level)) < 1e-6 * vector.length(level))
    assert(vector.dot(bow, vector.cross(level, way)) > 0)
    for _, axis in ipairs { pose.X, pose.Y, pose.Z } do
      near(quaternion.rotate(hand_turned, axis), quaternion.rotate(turned, axis), "hand")
    end
  end

  local turns = {}
  local shoulder = pose.joint(human, turns, arm)
  pose.reach(human, turns, side, vector.add(shoulder, { 0, 9, 0 }))
  local span = vector.length(human:way(arm, forearm)) + vector.length(human:way(forearm, hand))
  near((pose.joint(human, turns, hand)), vector.add(shoulder, { 0, .999 * span, 0 }), "out of reach")
end

return tweed.character { skeleton = human.skeleton }
