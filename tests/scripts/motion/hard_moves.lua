-- Motions that are hard on cloth, computed: what the hard constraints are measured against.

local tweed = require "tweed"
local gait = require "rigs.gait"
local human = require "rigs.human"
local pose = require "rigs.pose"
local X, Y, Z = pose.X, pose.Y, pose.Z
local turn, after = pose.turn, pose.after

local moves = {}

local TAU = 2 * math.pi

local function leg(turns, side, hip, knee)
  turns[side .. "_upper_leg"] = after(turn(Z, side == "left" and -3 or 3), turn(X, -hip))
  turns[side .. "_lower_leg"] = pose.hinge(human, side .. "_upper_leg", side .. "_lower_leg", -knee)
end

-- Thighs to and fro by so many degrees, 2.6 times a second, one against the other or (together) both alike, in a crouch
-- that dips twice as often.
function moves.crouch(degrees, together)
  local strokes, frequency = 13, 2.6
  return tweed.clip {
    duration = strokes / frequency, rate = 120, loop_blend = 0,
    sample = function(t)
      local wave = math.sin(TAU * frequency * t)
      local dip = .5 - .5 * math.cos(2 * TAU * frequency * t)
      local turns = { spine = turn(X, 25 * dip) }
      for side, sign in pairs { left = 1, right = together and 1 or -1 } do
        leg(turns, side, sign * degrees * wave, 35 + 30 * sign * wave)
        gait.hang_arm(human, turns, side, -20 * sign * wave, 40)
      end
      local frame = pose.frame(human, turns)
      pose.place_hips(human, frame, { 0, -.12 * dip, 0 })
      return frame
    end,
  }
end

-- 5 m/s for 1.5 s, half a turn within .4 s at the same speed, back, and about again: a closed track. The thighs go from
-- -20 to 60 degrees.
function moves.run_about()
  local speed, straight, about = 5, 1.5, .4
  local lap, radius = straight + about, speed * about / math.pi
  local function track(t) -- x, z, heading
    local along = math.min(t, straight) * speed
    local heading = math.max(0, t - straight) / about * math.pi
    return radius * (1 - math.cos(heading)), along + radius * math.sin(heading), heading
  end
  local strides = 5
  return tweed.clip {
    duration = 2 * lap, rate = 120, loop_blend = 0,
    sample = function(t)
      local phase = t / (2 * lap) * strides
      local turns = { spine = turn(X, 12), chest = turn(Y, 10 * math.cos(TAU * phase)) }
      for side, own in pairs { left = phase, right = phase + .5 } do
        leg(turns, side, 20 + 40 * math.cos(TAU * own), 55 - 45 * math.cos(TAU * own + .9))
        gait.hang_arm(human, turns, side, -40 * math.cos(TAU * own), 80)
      end
      local x, z, heading = track(t)
      if t > lap then
        local back_x, back_z = track(t - lap)
        x, z, heading = 2 * radius - back_x, straight * speed - back_z, math.pi + select(3, track(t - lap))
      end
      local frame = pose.frame(human, turns)
      pose.place_hips(human, frame, { 0, .05 * math.cos(2 * TAU * phase), 0 })
      frame.root = { x = x, z = z, heading = heading }
      return frame
    end,
  }
end

-- Without any motion: thighs forward, bent over, so that the cloth lies on thighs, back and pelvis.
function moves.bow()
  local turns = { hips = turn(X, 20), spine = turn(X, 20) }
  for _, side in ipairs { "left", "right" } do
    leg(turns, side, 55, 60)
    gait.hang_arm(human, turns, side, 40, 40)
  end
  local frame = pose.frame(human, turns)
  return tweed.clip { duration = 1, loop_blend = 0, sample = function() return frame end }
end

-- Poses that no jacket has room for, of any humanoid, default rigs.human; fields of a pose are degrees: how far each
-- thigh is lifted, the knees bent, the thighs turned inwards, and the trunk bent forward.
local IMPOSSIBLE = {
  tuck = { left = 140, right = 140, knee = 130, spine = 40 }, -- knees to the chin
  kick = { left = 150, right = -10, knee = 20, spine = 25 },  -- one thigh along the chest
  cross = { left = 75, right = 60, knee = 60, inwards = 35, spine = 45 }, -- each thigh within the other
  arch = { left = -95, right = -95, knee = 30, spine = -40 }, -- thighs behind the pelvis
}

function moves.impossible(name, man)
  man = man or human
  local angles = IMPOSSIBLE[name]
  local turns = { spine = turn(X, angles.spine) }
  for side, inwards in pairs { left = -1, right = 1 } do
    turns[side .. "_upper_leg"] = after(turn(Z, inwards * (angles.inwards or 3)), turn(X, -angles[side]))
    turns[side .. "_lower_leg"] = pose.hinge(man, side .. "_upper_leg", side .. "_lower_leg", -angles.knee)
    gait.hang_arm(man, turns, side, 100, 30) -- out of the way
  end
  local frame = pose.frame(man, turns)
  return tweed.clip { duration = 1, loop_blend = 0, sample = function() return frame end }
end

-- Still poses, of rigs.human. Fields are degrees: how far the thighs are lifted and the knees bent, how far the hips and
-- the trunk above them lean forward, and how far the arms are lifted.
local STILL = {
  stand = {},
  bow = { spine = 80, arms = 60 },
  crouch = { thigh = 100, knee = 110, spine = 55, arms = 60 },
  sit = { thigh = 90, knee = 90 },
  kneel = { thigh = 10, knee = 100 },
  back = { hips = -90 },
  face = { hips = 90 },
  arms = { arms = 120 },
}

local function still_frame(angles, breath)
  local turns = { hips = turn(X, angles.hips or 0), spine = turn(X, (angles.spine or 0) + breath) }
  for _, side in ipairs { "left", "right" } do
    leg(turns, side, angles.thigh or 0, angles.knee or 0)
    gait.hang_arm(human, turns, side, angles.arms or 0, 10)
  end
  return pose.frame(human, turns)
end

function moves.still(name)
  local frame = still_frame(STILL[name], 0)
  return tweed.clip { duration = 1, loop_blend = 0, sample = function() return frame end }
end

-- The same poses on a body that breathes: the spine turns by 1.3 degrees to and fro within 4 s.
function moves.breathing(name)
  return tweed.clip {
    duration = 4, rate = 30, loop_blend = 0,
    sample = function(t) return still_frame(STILL[name], 1.3 * math.sin(TAU * t / 4)) end,
  }
end

return moves
