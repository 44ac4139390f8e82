-- A jacket's upper part: driven bones over the skeleton, for a mesh to be skinned to. Nothing here is simulated; all is
-- solved live from the pose, so that one clip serves characters with and without a jacket.
--
-- On each side: a shoulder pad aims at a spot on the upper arm. Below it, two bones, breast and shoulder blade, hang
-- straight down whatever the pad does; each keeps its distance from its counterpart, which takes out the stretch that
-- raised arms would make. A sleeve has a main and a twist bone for the upper and for the lower arm. At the nape a bone
-- for a hood to hang on. At rest every bone already looks where it is to look, so that a mesh bound there stays as it
-- is.
--
--   driven = require "garments.jacket_upper" ()

local tweed = require "tweed"
local human = require "rigs.human"
local quaternion = tweed.quaternion

local HANGING = { { name = "breast", forward = .09 }, { name = "blade", forward = -.10 } }

local function scaled(v, factor) return { v[1] * factor, v[2] * factor, v[3] * factor } end

local function side_of(driven, side, tail, sign)
  local function add(item) driven[#driven + 1] = item end
  local outward = { sign, 0, 0 }
  local shoulder = human.offset[side .. "Arm"]
  local upper, lower = human.offset[side .. "ForeArm"], human.offset[side .. "Hand"]
  local _, hanging = human.skeleton:rest(side .. "Arm") -- what lies above the arm has no turn of its own at rest

  -- Half way to the shoulder joint; the spot is two fifths down the upper arm.
  local spot, to_spot = scaled(upper, .4), quaternion.rotate(hanging, scaled(upper, .4))
  for i = 1, 3 do to_spot[i] = to_spot[i] + shoulder[i] / 2 end
  local look = quaternion.between(outward, to_spot)
  add(tweed.bone { name = "pad" .. tail, parent = "Spine1", position = scaled(shoulder, .5), rotation = look })
  add(tweed.aim { bone = "pad" .. tail, at = { bone = side .. "Arm", offset = spot }, axis = outward })
  local upright = quaternion.inverse(look)
  for _, part in ipairs(HANGING) do
    local position = quaternion.rotate(upright, { sign * .02, -.04, part.forward })
    add(tweed.bone { name = part.name .. tail, parent = "pad" .. tail, position = position, rotation = upright })
    add(tweed.aim { bone = part.name .. tail, direction = { 0, -1, 0 }, axis = "-y" })
  end

  -- The main bone swings with the arm but does not twist; from its middle on, half of the arm's twist.
  local swing = quaternion.between(outward, quaternion.rotate(hanging, upper))
  add(tweed.bone { name = "sleeve" .. tail, parent = side .. "Shoulder", position = shoulder, rotation = swing })
  add(tweed.aim { bone = "sleeve" .. tail, at = { bone = side .. "ForeArm" }, axis = outward })
  add(tweed.bone { name = "sleeve_twist" .. tail, parent = "sleeve" .. tail, position = scaled(upper, .5) })
  add(tweed.twist { bone = "sleeve_twist" .. tail, follows = side .. "Arm", axis = outward, share = .5 })
  add(tweed.bone { name = "cuff" .. tail, parent = side .. "ForeArm" })
  add(tweed.bone { name = "cuff_twist" .. tail, parent = "cuff" .. tail, position = scaled(lower, .6) })
  add(tweed.twist { bone = "cuff_twist" .. tail, follows = side .. "Hand", axis = outward, share = .5 })
end

return function()
  local driven = { tweed.bone { name = "nape", parent = "Neck", position = { 0, .05, -.125 } } }
  side_of(driven, "Left", "_left", 1)
  side_of(driven, "Right", "_right", -1)
  for _, part in ipairs(HANGING) do
    driven[#driven + 1] = tweed.position { between = { part.name .. "_left", part.name .. "_right" } }
  end
  return driven
end
