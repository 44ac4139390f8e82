-- Short, vivid moves, computed: a dodge to the side, and a leap where there is no motion capture to play.

local tweed = require "tweed"
local gait = require "rigs.gait"
local pose = require "rigs.pose"
local X, Y, Z = pose.X, pose.Y, pose.Z
local turn, after = pose.turn, pose.after

local moves = {}

local function clamp(x) return math.max(0, math.min(1, x)) end

-- 0 before the first time, 1 after the second, smooth in speed.
local function ramp(t, from, to)
  local x = clamp((t - from) / (to - from))
  return x * x * x * (x * (6 * x - 15) + 10)
end

-- A squat on top of a stance: how deep, 0 to 1; the heels stay on the ground.
local function squat(turns, depth)
  local knee = 90 * depth
  for _, side in ipairs { "Left", "Right" } do
    local hip = side .. "UpLeg"
    turns[hip] = after(turns[hip], turn(X, -.55 * knee))
    turns[side .. "Leg"] = after(turns[side .. "Leg"], pose.hinge(hip, side .. "Leg", -knee))
    turns[side .. "Foot"] = after(turns[side .. "Foot"], turn(X, -.45 * knee))
  end
  turns.LowerBack = turn(X, 30 * depth)
end

-- The hips go aside by .8 m within a third of a second and back again; the feet follow them by five eighths of that.
-- The trunk leans ahead and whips back, the hips turn with it, the arms fly up. It ends where it began, so the root
-- stays: clothes feel all of it.
function moves.dodge()
  local duration, aside, swing = .8, .8, .3 -- s, m, m of it out over the feet
  local leg = .85                           -- m from hip to sole
  return tweed.clip {
    duration = duration,
    loop_blend = 0,
    sample = function(t)
      local out = ramp(t, 0, .34) - ramp(t, .38, .74)
      local lean = ramp(t, 0, .22) - 1.6 * ramp(t, .3, .52) + .6 * ramp(t, .58, .8)
      local tilt = math.deg(math.asin(swing * out / leg))
      local turns = gait.standing()
      local about = -35 * lean -- the hips turn from what comes, the feet do not
      turns.Hips = turn(Y, about)
      for _, side in ipairs { "Left", "Right" } do
        turns[side .. "UpLeg"] = after(turn(Y, -about), turn(Z, -tilt), turns[side .. "UpLeg"])
        turns[side .. "Foot"] = after(turn(Z, tilt), turns[side .. "Foot"])
      end
      squat(turns, .45 * out)
      turns.LowerBack = after(turn(Z, -22 * lean), turns.LowerBack)
      turns.Head = turn(Z, 12 * lean)
      turns.LeftArm = after(turn(Z, 55 * out), turns.LeftArm)
      turns.RightArm = after(turn(Z, -75 * out), turns.RightArm)
      local frame = pose.frame(turns)
      frame.Hips.position = { aside * out, pose.hips_height(turns), 0 }
      return frame
    end,
  }
end

-- Squat, leap, land: .7 m forward, 1.8 s.
function moves.leap()
  local off, air, reach = .75, .42, .7 -- s, s, m: .22 m high
  local land = off + air
  return tweed.clip {
    duration = 1.8,
    loop_blend = 0,
    sample = function(t)
      local depth = .85 * (ramp(t, .1, .5) - ramp(t, .5, off + .03)) + .75 * (ramp(t, land - .12, land + .15)
        - ramp(t, land + .2, 1.75))
      local arms = -45 * (ramp(t, .1, .5) - ramp(t, .5, off)) + 60 * (ramp(t, .55, off) - ramp(t, land - .1, 1.5))
      local turns = gait.standing()
      squat(turns, depth)
      for _, side in ipairs { "Left", "Right" } do gait.hang_arm(turns, side, 3 + arms, 15 + .3 * math.abs(arms)) end
      local flown = clamp((t - off) / air)
      local frame = pose.frame(turns)
      frame.Hips = { position = { 0, pose.hips_height(turns) + 9.81 / 2 * air ^ 2 * flown * (1 - flown), 0 } }
      frame.root = { x = 0, z = reach * flown, heading = 0 }
      return frame
    end,
  }
end

return moves
