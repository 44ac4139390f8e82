-- Short, vivid moves, computed: a dodge to the side, and a leap where there is no motion capture to play. Each takes
-- { body = a humanoid, default rigs.human }.

local tweed = require "tweed"
local read_options = require "rigs.options"
local gait = require "rigs.gait"
local human = require "rigs.human"
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
local function squat(man, turns, depth)
  local knee = 90 * depth
  for _, side in ipairs { "left", "right" } do
    local hip, shin, foot = side .. "_upper_leg", side .. "_lower_leg", side .. "_foot"
    turns[hip] = after(turns[hip], turn(X, -.55 * knee))
    turns[shin] = after(turns[shin], pose.hinge(man, hip, shin, -knee))
    turns[foot] = after(turns[foot], turn(X, -.45 * knee))
  end
  turns.spine = turn(X, 30 * depth)
end

-- The hips go aside by .8 m within a third of a second and back again; the feet follow them by five eighths of that.
-- The trunk leans ahead and whips back, the hips turn with it, the arms fly up. It ends where it began, so the root
-- stays: clothes feel all of it.
function moves.dodge(options)
  local man = read_options(options, { "body" }).body or human
  local duration, aside, swing = .8, .8 * man.size, .3 * man.size -- s, m, m of it out over the feet
  local leg = .85 * man.size                                      -- m from hip to sole
  return tweed.clip {
    duration = duration,
    loop_blend = 0,
    sample = function(t)
      local out = ramp(t, 0, .34) - ramp(t, .38, .74)
      local lean = ramp(t, 0, .22) - 1.6 * ramp(t, .3, .52) + .6 * ramp(t, .58, .8)
      local tilt = math.deg(math.asin(swing * out / leg))
      local turns = gait.standing(man)
      local about = -35 * lean -- the hips turn from what comes, the feet do not
      turns.hips = turn(Y, about)
      for _, side in ipairs { "left", "right" } do
        turns[side .. "_upper_leg"] = after(turn(Y, -about), turn(Z, -tilt), turns[side .. "_upper_leg"])
        turns[side .. "_foot"] = after(turn(Z, tilt), turns[side .. "_foot"])
      end
      squat(man, turns, .45 * out)
      turns.spine = after(turn(Z, -22 * lean), turns.spine)
      turns.head = turn(Z, 12 * lean)
      turns.left_upper_arm = after(turn(Z, 55 * out), turns.left_upper_arm)
      turns.right_upper_arm = after(turn(Z, -75 * out), turns.right_upper_arm)
      local frame = pose.frame(man, turns)
      pose.place_hips(man, frame, { aside * out, pose.hips_height(man, turns), 0 })
      return frame
    end,
  }
end

-- Squat, leap, land: .7 m forward, 1.8 s. arms: gait.ARMS.
function moves.leap(options)
  local all = read_options(options, { "body", gait.ARMS })
  local man = all.body or human
  local off, air, reach = .75, .42, .7 -- s, s, m: .22 m high
  local land = off + air
  return tweed.clip {
    duration = 1.8,
    loop_blend = 0,
    sample = function(t)
      local depth = .85 * (ramp(t, .1, .5) - ramp(t, .5, off + .03)) + .75 * (ramp(t, land - .12, land + .15)
        - ramp(t, land + .2, 1.75))
      local arms = -30 * (ramp(t, .1, .5) - ramp(t, .5, off)) + 60 * (ramp(t, .55, off) - ramp(t, land - .1, 1.5))
      local turns = gait.standing(man)
      squat(man, turns, depth)
      for _, side in ipairs { "left", "right" } do
        gait.hang_arm(man, turns, side, 3 + arms, 15 + .3 * math.abs(arms), all.arms)
      end
      local flown = clamp((t - off) / air)
      local frame = pose.frame(man, turns)
      local height = pose.hips_height(man, turns) + 9.81 / 2 * air ^ 2 * flown * (1 - flown)
      pose.place_hips(man, frame, { 0, height, 0 })
      frame.root = { x = 0, z = reach * flown, heading = 0 }
      return frame
    end,
  }
end

-- Kicks ahead, left and right in turns: the thigh comes up to the horizontal within .3 s, 1.6 s for both. arms:
-- gait.ARMS.
function moves.kick(options)
  local all = read_options(options, { "body", gait.ARMS })
  local man = all.body or human
  return tweed.clip {
    duration = 1.6,
    loop_blend = 0,
    sample = function(t)
      local turns = gait.standing(man)
      for i, side in ipairs { "left", "right" } do
        local begin = .8 * (i - 1)
        local up = ramp(t, begin, begin + .3) - ramp(t, begin + .4, begin + .75)
        turns[side .. "_upper_leg"] = after(turns[side .. "_upper_leg"], turn(X, -90 * up))
        turns[side .. "_lower_leg"] = pose.hinge(man, side .. "_upper_leg", side .. "_lower_leg", -5 - 10 * up)
        gait.hang_arm(man, turns, side, -20 * up, 25, all.arms)
      end
      local frame = pose.frame(man, turns)
      pose.place_hips(man, frame, { 0, pose.hips_height(man, turns), 0 })
      return frame
    end,
  }
end

-- A clip that turns about the left foot, the other foot at the knee, the arms held out. The hips turn, not the root:
-- clothes feel all of it. angle: of the time, in degrees.
local function turning(man, duration, angle)
  local turns = gait.standing(man)
  for side, sign in pairs { left = 1, right = -1 } do
    turns[side .. "_upper_arm"] = after(turn(Y, sign * -25), turn(Z, sign * 30))
    turns[side .. "_lower_arm"] = pose.hinge(man, side .. "_upper_arm", side .. "_lower_arm", 20)
  end
  turns.right_upper_leg = after(turn(Z, -14), turn(X, -40))
  turns.right_lower_leg = pose.hinge(man, "right_upper_leg", "right_lower_leg", -85)
  local height = pose.hips_height(man, turns)
  return tweed.clip {
    duration = duration,
    loop_blend = 0,
    sample = function(t)
      turns.hips = turn(Y, angle(t))
      local frame = pose.frame(man, turns)
      pose.place_hips(man, frame, { 0, height, 0 })
      return frame
    end,
  }
end

-- A turn on the spot after another. turns: a second, .2 to 3, default 1.5.
function moves.spin(options)
  local all = read_options(options, { "body", { "turns", 1.5, .2, 3, "1/s" } })
  return turning(all.body or human, 1 / all.turns, function(t) return 360 * all.turns * t end)
end

-- Five turns on the spot, from rest to rest in 1.7 s: four a second for .8 s of it.
function moves.pirouette(options)
  local man = read_options(options, { "body" }).body or human
  local start, duration, speed = .45, 1.7, 4 -- s, s, 1/s
  return turning(man, duration, function(t)
    local before_end = math.min(t, duration - t)
    local turns = before_end < start and speed * before_end ^ 2 / (2 * start) or speed * (before_end - start / 2)
    return 360 * (t > duration / 2 and 5 - turns or turns)
  end)
end

return moves
