-- Walking, running and standing, computed: clips for any humanoid without any motion file.
--
--   local gait = require "rigs.gait"
--   walk  = gait.walk { speed = 1.4 }                 -- m/s, .4 to 2.2; of the shipped human
--   run   = gait.run { speed = 4, body = boxer }      -- m/s, 2 to 6; of a humanoid of yours
--   stand = gait.stand { body = boxer }
--   stand = gait.stand { arms = 40 }                  -- degrees that the upper arms are held away from straight down
--
-- The feet are told where to go, the legs follow by two-bone inverse kinematics: on the ground a foot rolls from heel
-- to ball without sliding, in the air it goes on from the speed that it left the ground with to that which it lands
-- with. The hips are as high as the stretched legs allow, going up and down once a step. Steps in walking are as long
-- as a walk ratio of 0.0058 m per step/min makes them, a little shorter than the 0.0065 of Sekiya and Nagasaki, as the
-- legs of the shipped human are; what else is not given by that (how long a foot is on the ground, how it is pitched,
-- how the trunk and the arms go along) are estimates after what is usually told of natural gait.

local tweed = require "tweed"
local pose = require "rigs.pose"
local read_options = require "rigs.options"
local vector = require "rigs.vector"
local X, Y, Z = pose.X, pose.Y, pose.Z
local turn, after = pose.turn, pose.after
local quaternion = tweed.quaternion

local gait = {}

local TAU = 2 * math.pi
local SIDES = { left = 1, right = -1 }
local ARM = 40                            -- degrees from straight down to an arm at rest (rigs/humanoid.lua)
gait.ARMS = { "arms", 12, 5, 80, "degrees" } -- an option: how far from there arms hang
gait.CIRCLE = { "circle", 0, 0, 1000, "m" } -- an option: radius of a circle to the left; 0: straight on

-- 0 before the first, 1 after the second, smooth.
local function ramp(x, from, to)
  local share = math.max(0, math.min(1, (x - from) / (to - from)))
  return share * share * (3 - 2 * share)
end

-- An arm that hangs, swung forward, bent at the elbow. aside: degrees from straight down, by default gait.ARMS's.
function gait.hang_arm(man, turns, side, swing, elbow, aside)
  turns[side .. "_upper_arm"] = after(turn(X, -swing), turn(Z, SIDES[side] * ((aside or gait.ARMS[2]) - ARM)))
  turns[side .. "_lower_arm"] = pose.hinge(man, side .. "_upper_arm", side .. "_lower_arm", elbow)
end

-- Turns of the trunk's lowest and highest bone, which may be the same.
local function bend_trunk(man, turns, lower, upper)
  if man.bone.spine == man.bone.chest then turns.chest = after(lower, upper)
  else turns.spine, turns.chest = lower, upper end
end

-- Legs a little bent, each in the plane of its knee: what the feet's places are solved from.
local function bend_legs(man, turns, level)
  for side in pairs(SIDES) do
    turns[side .. "_upper_leg"] = after(level, turn(X, -20))
    turns[side .. "_lower_leg"] = pose.hinge(man, side .. "_upper_leg", side .. "_lower_leg", -30)
  end
end

-- How hips, trunk and arms are turned at a phase: 0 at the left foot's contact. The hip of the leading leg goes along
-- and that of the swinging one drops, the shoulders turn against the hips, the arms against the legs.
local function upper_body(man, style, phase)
  local wave, turns = math.cos(TAU * phase), {}
  turns.hips = after(turn(Y, -style.hips * wave), turn(Z, style.drop * math.sin(TAU * phase)))
  local level = quaternion.inverse(turns.hips)
  bend_trunk(man, turns, after(level, turn(X, style.lean)), turn(Y, style.shoulders * wave))
  turns.head = after(turn(Y, -style.shoulders * wave), turn(X, -.5 * style.lean))
  for side, sign in pairs(SIDES) do
    local forward = -sign * wave
    gait.hang_arm(man, turns, side, 5 + style.swing * forward, style.elbows + 12 * forward, style.arms)
  end
  bend_legs(man, turns, level)
  return turns
end

-- How a foot is pitched, degrees, toes up: it lands on the heel and leaves over the ball, and points down most just
-- after.
local function pitch(style, own)
  local stance, most = style.stance, 1.1 * style.stance
  return style.strike * (1 - ramp(own, 0, .25 * stance) + ramp(own, (1 + stance) / 2, 1))
    - style.push * (ramp(own, .45 * stance, most) ^ 2 - ramp(own, most, .35 + .65 * stance))
end

-- Where the ankle is and how the foot is turned where it would stand flat at `ankle` but for its rolling over heel or
-- ball.
local function rolled(sole, ankle, degrees)
  local foot = turn(X, -degrees)
  local on = degrees > 0 and sole.heel or sole.ball
  return vector.add(ankle, vector.subtract(on, quaternion.rotate(foot, on))), foot
end

-- How far ahead of its middle a foot is, m, and how high: back with the ground while it stands, then forward by the
-- cubic that goes on from, and ends in, the ground's speed. The ankle is highest early on, as the knee folds.
local function way_of_foot(style, own)
  local stance, length = style.stance, style.length
  if own <= stance then return length * (stance / 2 - own), 0 end
  local q = (own - stance) / (1 - stance)
  local reach, speed = length * stance / 2, -length * (1 - stance)
  local ahead = reach * (6 * q ^ 2 - 4 * q ^ 3 - 1) + speed * (q - 3 * q ^ 2 + 2 * q ^ 3)
  return ahead, style.lift * math.sin(math.pi * q) ^ 2 + style.heel * 6.75 * q * (1 - q) ^ 2
end

-- How far the hips are above their mean height.
local function bounce(stride, phase)
  return stride.style.bounce * stride.man.size * math.cos(2 * TAU * (phase - stride.style.top))
end

-- A stride of a man, ready to be sampled: where the feet stand flat in the middle of it, relative to the root, and how
-- high the hips are.
local function new_stride(man, style)
  local stride = { man = man, style = style, flat = {}, sole = {}, height = math.huge }
  local ground = pose.ground(man)
  for side in pairs(SIDES) do
    local sole = pose.sole(man, side)
    local aside = style.apart * man:way("hips", side .. "_upper_leg")[1]
    stride.sole[side], stride.flat[side] = sole, { aside, ground - sole.ball[2], style.ahead * man.size }
  end

  local reach = .997 * (vector.length(man:way("left_upper_leg", "left_lower_leg"))
    + vector.length(man:way("left_lower_leg", "left_foot")))
  for i = 0, 100 do -- of the time that the left foot stands
    local phase = i / 100 * style.stance
    local hip = pose.leg(man, upper_body(man, style, phase), "left").upper_leg.at
    local ankle = rolled(stride.sole.left, stride.flat.left, pitch(style, phase))
    local aside, ahead = ankle[1] - hip[1], ankle[3] + way_of_foot(style, phase) - hip[3]
    local up = math.sqrt(math.max(0, reach ^ 2 - aside ^ 2 - ahead ^ 2))
    stride.height = math.min(stride.height, ankle[2] + up - hip[2] - bounce(stride, phase))
  end
  return stride
end

-- Puts a foot where it is to be at its own phase.
local function step(stride, turns, side, own, hips)
  local style, man = stride.style, stride.man
  local ankle, foot = rolled(stride.sole[side], stride.flat[side], pitch(style, own))
  local ahead, up = way_of_foot(style, own)
  ankle = vector.subtract(vector.add(ankle, { 0, up, ahead }), hips)
  pose.plant(man, turns, side, ankle, foot)
  local bent = own < style.stance and 1 or 1 - ramp(own, style.stance, 1)
  local toes = bent * math.max(0, math.min(40, -pitch(style, own)))
  turns[side .. "_toes"] = turn(X, -toes) -- flat on the ground while the heel rises
end

local function clip_of(man, style, speed, circle)
  local stride = new_stride(man, style)
  return tweed.clip {
    duration = style.length / speed,
    loop_blend = 0, -- a stride ends as it begins
    sample = function(t)
      local phase = t * speed / style.length
      local turns = upper_body(man, style, phase)
      local hips = { style.sway * man.size * math.sin(TAU * phase), stride.height + bounce(stride, phase), 0 }
      for side, sign in pairs(SIDES) do step(stride, turns, side, (sign > 0 and phase or phase + .5) % 1, hips) end
      local frame = pose.frame(man, turns)
      pose.place_hips(man, frame, hips)
      local gone = speed * t
      if circle > 0 then
        local angle = gone / circle
        frame.root = { x = circle * (1 - math.cos(angle)), z = circle * math.sin(angle), heading = angle }
      else
        frame.root = { x = 0, z = gone, heading = 0 }
      end
      return frame
    end,
  }
end

local function given(options, speed, slowest, fastest)
  local all = read_options(options, { "body", { "speed", speed, slowest, fastest, "m/s" }, gait.ARMS, gait.CIRCLE })
  return all.body or require "rigs.human", all.speed, all.arms, all.circle
end

-- speed: m/s, .4 to 2.2; default 1.4. body: a humanoid, default rigs.human. arms: gait.ARMS. circle: gait.CIRCLE.
function gait.walk(options)
  local man, speed, arms, circle = given(options, 1.4, .4, 2.2)
  local length = 2 * math.sqrt(.0058 * 60 * speed * man.size)
  local brisk = length / man.size / 1.40 -- 1 at 1.4 m/s
  return clip_of(man, {
    length = length, stance = .60, ahead = -.04, apart = .6, lift = .06, heel = .045,
    strike = 20 * brisk, push = 58 * math.min(1.1, brisk),
    bounce = .014 * brisk, top = .31, sway = .02, -- highest in the middle of a stance
    hips = 5 * brisk, drop = 3, shoulders = 6 * brisk, lean = 3, swing = 18 * brisk, elbows = 25, arms = arms,
  }, speed, circle)
end

-- speed: m/s, 2 to 6; default 3.5. body: a humanoid, default rigs.human. arms: gait.ARMS. circle: gait.CIRCLE.
function gait.run(options)
  local man, speed, arms, circle = given(options, 3.5, 2, 6)
  local effort, stance = .7 + .1 * (speed - 2), .36 - .026 * speed
  return clip_of(man, {
    length = 2 * speed / (2.4 + .12 * speed), -- by steps a second
    stance = stance, ahead = -.02, apart = .35, lift = .30 * effort, heel = 0,
    strike = 6, push = 45,
    bounce = .035, top = stance / 2 + .25, sway = .005, -- highest in flight
    hips = 8 * effort, drop = 2, shoulders = 14 * effort, lean = 7 + 4 * effort, swing = 42 * effort, elbows = 80,
    arms = arms,
  }, speed, circle)
end

-- At ease, without any motion. arms: degrees from straight down, by default gait.ARMS's.
function gait.standing(man, arms)
  local turns = {}
  for side, sign in pairs(SIDES) do
    turns[side .. "_upper_leg"] = after(turn(Z, sign * 2), turn(X, -4))
    turns[side .. "_lower_leg"] = pose.hinge(man, side .. "_upper_leg", side .. "_lower_leg", -6)
    turns[side .. "_foot"] = turn(X, -2)
    gait.hang_arm(man, turns, side, 3, 15, arms)
  end
  return turns
end

-- body: a humanoid, default rigs.human. arms: gait.ARMS.
function gait.stand(options)
  local all = read_options(options, { "body", gait.ARMS })
  local man = all.body or require "rigs.human"
  local turns = gait.standing(man, all.arms)
  local frame = pose.frame(man, turns)
  pose.place_hips(man, frame, { 0, pose.hips_height(man, turns), 0 })
  return tweed.clip { duration = 1, loop_blend = 0, sample = function() return frame end }
end

return gait
