-- Walking and standing, computed: clips for the human without any motion file.
--
--   walk  = require "rigs.gait".walk { speed = 1.4 }
--   stand = require "rigs.gait".stand()
--
-- Joint angles are Fourier series over one stride, shaped after the mean curves of natural walking as they are
-- known from Winter, The Biomechanics and Motor Control of Human Gait; estimates through their key values, not his
-- tables: the hip from 20 at heel contact to -11 at 53 % and 22 at 90 % of the stride, the knee with its two waves
-- of 20 and 64, the ankle with its push-off of -18 at 63 %. The steps' length follows from the speed by a walk
-- ratio of 0.0065 m per step/min (after Sekiya and Nagasaki), and scales the hip's swing. The hips' height follows
-- from the legs.

local tweed = require "tweed"
local pose = require "rigs.pose"
local X, Y, Z = pose.X, pose.Y, pose.Z
local turn, after = pose.turn, pose.after

local gait = {}

local TAU = 2 * math.pi
local WALK_RATIO = .0065

-- Degrees: the mean, then cosine and sine of each harmonic. Flexion counts up.
local HIP = { 6.7, { 15.2, -3.7 }, { -2.1, -2.0 }, { .1, .8 } }
local KNEE = { 24.6, { -3.8, -20.3 }, { -15.2, 6.9 }, { -.7, 3.8 }, { -1.2, .1 } }
local ANKLE = { -.3, { -1.1, 6.2 }, { 1.7, -6.8 }, { -3.0, .6 }, { 1.8, .1 }, { 0, -1.2 } }

local function series(coefficients, phase)
  local sum = coefficients[1]
  for k = 2, #coefficients do
    local angle = (k - 1) * TAU * phase
    sum = sum + coefficients[k][1] * math.cos(angle) + coefficients[k][2] * math.sin(angle)
  end
  return sum
end

-- An arm that hangs: from its rest at 40 degrees down to 10, swung forward, bent at the elbow.
function gait.hang_arm(turns, side, swing, elbow)
  turns[side .. "Arm"] = after(turn(X, -swing), turn(Z, side == "Left" and -30 or 30))
  turns[side .. "ForeArm"] = pose.hinge(side .. "Arm", side .. "ForeArm", elbow)
end

-- The phase is 0 at the left heel's contact. swing: factor of the hips' angles.
local function walking(phase, swing)
  local yaw = turn(Y, -4 * swing * math.cos(TAU * phase))  -- the hip of the leading leg goes along
  local roll = turn(Z, 3 * math.sin(TAU * phase))          -- and that of the swinging one drops
  local pelvis = after(yaw, roll)
  local level = tweed.quaternion.inverse(pelvis)
  local turns = {
    Hips = pelvis,
    LowerBack = after(level, turn(X, 3)),
    Spine1 = turn(Y, 5 * swing * math.cos(TAU * phase)), -- the shoulders turn against the hips
    Head = turn(Y, -5 * swing * math.cos(TAU * phase)),
  }
  for side, own in pairs { Left = phase, Right = phase + .5 } do
    local hip, knee, ankle = swing * series(HIP, own), series(KNEE, own), series(ANKLE, own)
    turns[side .. "UpLeg"] = after(level, turn(Z, side == "Left" and -3 or 3), turn(X, -hip)) -- feet close together
    turns[side .. "Leg"] = pose.hinge(side .. "UpLeg", side .. "Leg", -knee)
    turns[side .. "Foot"] = turn(X, -ankle)
    turns[side .. "ToeBase"] = turn(X, -math.max(0, math.min(30, knee - hip - ankle))) -- flat while the heel rises
    local forward = -math.cos(TAU * own)
    gait.hang_arm(turns, side, 5 + 16 * swing * forward, 25 + 10 * forward)
  end
  return turns
end

-- How far the hips are off their mean way, up and forward, so that the foot that carries stays where it is: the legs'
-- own curves without their kinks, one wave a step, which is how people bounce.
local function bounce(swing, step)
  local samples, sums = 40, { 0, 0, 0, 0, 0 }
  for i = 0, samples - 1 do
    local phase = i / samples / 2 -- the left leg carries
    local turns = walking(phase + .05, swing)
    local up = pose.hips_height(turns)
    local forward = -pose.ankle_forward(turns, "Left") - 2 * step * phase
    local c, s = math.cos(2 * TAU * (phase + .05)), math.sin(2 * TAU * (phase + .05))
    for k, value in ipairs { up, 2 * up * c, 2 * up * s, 2 * forward * c, 2 * forward * s } do
      sums[k] = sums[k] + value / samples
    end
  end
  return function(phase)
    local c, s = math.cos(2 * TAU * phase), math.sin(2 * TAU * phase)
    return sums[1] + sums[2] * c + sums[3] * s, sums[4] * c + sums[5] * s
  end
end

-- speed: m/s, .4 to 2.2; default 1.4
function gait.walk(options)
  local speed = options and options.speed or 1.4
  assert(speed >= .4 and speed <= 2.2, "speed: expected .4 to 2.2 m/s")
  local step = math.sqrt(WALK_RATIO * 60 * speed)
  local full = walking(0, 1) -- both feet on the ground, one step apart
  local swing = step / (pose.ankle_forward(full, "Left") - pose.ankle_forward(full, "Right"))
  local off, duration = bounce(swing, step), 2 * step / speed
  return tweed.clip {
    duration = duration,
    loop_blend = 0, -- a stride ends as it begins
    sample = function(t)
      local phase = t / duration
      local frame = pose.frame(walking(phase, swing))
      local height, forward = off(phase)
      frame.Hips.position = { .02 * math.sin(TAU * phase), height, forward } -- and over the foot that carries
      frame.root = { x = 0, z = speed * t, heading = 0 }
      return frame
    end,
  }
end

-- At ease, arms hanging, without any motion.
function gait.standing()
  local turns = {}
  for side, sign in pairs { Left = 1, Right = -1 } do
    turns[side .. "UpLeg"] = after(turn(Z, sign * 2), turn(X, -4))
    turns[side .. "Leg"] = pose.hinge(side .. "UpLeg", side .. "Leg", -6)
    turns[side .. "Foot"] = turn(X, -2)
    gait.hang_arm(turns, side, 3, 15)
  end
  return turns
end

function gait.stand()
  local turns = gait.standing()
  local frame = pose.frame(turns)
  frame.Hips = { position = { 0, pose.hips_height(turns), 0 } }
  return tweed.clip { duration = 1, loop_blend = 0, sample = function() return frame end }
end

return gait
