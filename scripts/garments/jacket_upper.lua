-- A jacket's upper part: driven bones over the skeleton, for a mesh to be skinned to. Nothing here is simulated; all is
-- solved live from the pose, so that one clip serves characters with and without a jacket.
--
-- On each side: a shoulder pad aims at a spot on the upper arm. Below it, two bones, breast and shoulder blade, hang
-- straight down whatever the pad does; each keeps its distance from its counterpart, which takes out the stretch that
-- raised arms would make. Below them, at the waist, are the bones that the cloth is attached to (garments/jacket.lua
-- with `upper`): the waist carries them, and what lifts the shoulder lifts them by as much. A sleeve has a main and a
-- twist bone for the upper and for the lower arm. At the nape a bone for a hood to hang on. At rest every bone already
-- looks where it is to look, so that a mesh bound there stays as it is.
--
--   driven = require "garments.jacket_upper" { body = boxer }     -- a humanoid, default rigs.human
--
-- `top`: m from the hip joints up to the waist, as the jacket's.

local tweed = require "tweed"
local read_options = require "rigs.options"
local tailor = require "garments.tailor"
local vector = require "rigs.vector"
local quaternion = tweed.quaternion

local IDENTITY = { 0, 0, 0, 1 }
local HANGING = { -- m at size 1
  { name = "breast", forward = .09, lifts = "waist_front" }, { name = "blade", forward = -.10, lifts = "waist_back" },
}

-- Collects driven bones that are told where they are at rest in model space.
local function new_placer(man)
  local placer = { driven = {}, rest = setmetatable({}, { __index = man.rest }) }
  function placer.add(item) placer.driven[#placer.driven + 1] = item end
  function placer.bone(name, parent, position, rotation)
    local above = placer.rest[parent]
    local back = quaternion.inverse(above.rotation)
    placer.rest[name] = { position = position, rotation = rotation }
    placer.add(tweed.bone {
      name = name, parent = parent, position = quaternion.rotate(back, vector.subtract(position, above.position)),
      rotation = quaternion.multiply(back, rotation),
    })
  end
  return placer
end

local function shoulder_of(man, placer, side, sign, waist)
  local bone, tail, size = man.bone, "_" .. side, man.size
  local outward = { sign, 0, 0 }
  local chest, arm = man:at(bone.chest), man:at(bone[side .. "_upper_arm"])

  -- Half way to the shoulder joint; the spot is two fifths down the upper arm.
  local down = vector.scale(man:way(side .. "_upper_arm", side .. "_lower_arm"), .4)
  local at = vector.mix(chest, arm, .5)
  local look = quaternion.between(outward, vector.subtract(vector.add(arm, down), at))
  placer.bone("pad" .. tail, bone.chest, at, look)
  placer.add(tweed.aim {
    bone = "pad" .. tail, axis = outward,
    at = { bone = bone[side .. "_upper_arm"], offset = man:local_point(side .. "_upper_arm", vector.add(arm, down)) },
  })
  for _, part in ipairs(HANGING) do
    local below = vector.scale({ sign * .02, -.04, part.forward }, size)
    local hung = vector.add(at, below)
    placer.bone(part.name .. tail, "pad" .. tail, hung, IDENTITY)
    placer.add(tweed.aim { bone = part.name .. tail, direction = { 0, -1, 0 }, axis = "-y" })
    placer.bone(part.lifts .. tail, waist.bone, { hung[1], waist.height, hung[3] }, IDENTITY)
    placer.add(tweed.slide {
      bone = part.lifts .. tail, follows = part.name .. tail, relative_to = bone.chest, axis = "y",
    })
  end
end

-- The main bone swings with the arm but does not twist; from its middle on, half of the arm's twist.
local function sleeve_of(man, placer, side)
  local bone, tail = man.bone, "_" .. side
  local function parts(upper, lower, parent, main, share)
    local at, rotation = man:at(upper)
    local way = man:way(upper, lower)
    local axis = man:local_direction(upper, way)
    placer.bone(main .. tail, bone[parent], at, rotation)
    placer.bone(main .. "_twist" .. tail, main .. tail, vector.add(at, vector.scale(way, share)), rotation)
    return axis
  end
  local arm, forearm, hand = side .. "_upper_arm", side .. "_lower_arm", side .. "_hand"
  local axis = parts(arm, forearm, side .. "_shoulder", "sleeve", .5)
  placer.add(tweed.aim { bone = "sleeve" .. tail, at = { bone = bone[forearm] }, axis = axis })
  placer.add(tweed.twist { bone = "sleeve_twist" .. tail, follows = bone[arm], axis = axis, share = .5 })
  axis = parts(forearm, hand, forearm, "cuff", .6)
  placer.add(tweed.twist { bone = "cuff_twist" .. tail, follows = bone[hand], axis = axis, share = .5 })
end

return function(options)
  local all = read_options(options, { "body", { "top", .251, 0, 1, "m" } })
  local man = all.body or require "rigs.human"
  local level, bone = tailor.waist(man, all.top)
  local waist, placer = { height = man:level(level), bone = bone }, new_placer(man)
  local nape = vector.add((man:at "neck"), { 0, 0, -.125 * man.size })
  nape[2] = man:level(.95)
  placer.bone("nape", man.bone.neck, nape, IDENTITY)
  for _, side in ipairs { "left", "right" } do
    shoulder_of(man, placer, side, side == "left" and 1 or -1, waist)
    sleeve_of(man, placer, side)
  end
  for _, part in ipairs(HANGING) do
    placer.add(tweed.position { between = { part.name .. "_left", part.name .. "_right" } })
  end
  return placer.driven
end
