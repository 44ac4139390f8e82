-- What fits like a skin: leotards, tights, gloves, boots. It is cut out of the body's own mesh, a little outside of it,
-- and follows the skin wherever it goes; nothing is simulated.
--
--   bodysuit { skin = body(human)[1], name = "leotard", color = { .1, .1, .12 } }       -- trunk alone
--   bodysuit { skin = body(human)[1], name = "suit", sleeves = 1, legs = 1 }            -- down to wrists and ankles
--   bodysuit { skin = body(human)[1], name = "tights", top = .4, legs = 1 }             -- from the waist down
--   bodysuit { skin = body(human)[1], name = "body", bare = true, sleeves = .8, legs = 2 }   -- head, neck and hands

local read_options = require "rigs.options"
local vector = require "rigs.vector"

local own = { -- { key, default, from, to, unit }
  "body", "skin", { "name", "bodysuit" }, { "color", { .12, .12, .14 } }, { "roughness", .7, 0, 1 },
  { "pattern", "plain" },
  { "out", .0022, 0, .1, "m" },   -- how far it stands off the skin
  { "neck", .075, .03, .3, "m" }, -- half the height of the neckline
  { "top", false },               -- level at which it begins, in place of the neckline: tights, boots
  { "bottom", false },            -- level at which its trunk ends, in place of the legs: shirts
  { "sleeves", 0, 0, 2 },         -- how far down the arms: 1 at the wrists, 2 over the hands
  { "legs", 0, 0, 2 },            -- how far down the legs: 1 at the ankles, 2 over the feet
  { "bare", false },              -- true: the skin that such a suit leaves bare, where wider clothes hide the rest
}
local ARM, ARMHOLE = .075, -.012  -- m from an arm's axis and from the shoulder joint at which arms end
local CROTCH, CUT = -.07, .75     -- of a suit without legs: m from the hip joints, and how steep its edges rise
local WIDE = .17                  -- m to the side up to which they rise: arms are farther out
local NECK = { x = .80, z = .74, ahead = .005 } -- of the neckline: shares of a ball's width and depth; m to its middle
local ANKLE = .02                 -- m above the ankles at which legs end

-- Each of these returns a function of a place, which is called at every vertex: what does not depend on the place is
-- worked out before.

-- How deep a place is within the arm beyond a share of the way down it; 0 and less: not in it.
local function arm(man, side, share)
  local shoulder, elbow = (man:at(side .. "_upper_arm")), (man:at(side .. "_lower_arm"))
  local wrist = (man:at(side .. "_hand"))
  local upper, lower = vector.subtract(elbow, shoulder), vector.subtract(wrist, elbow)
  local bend = vector.length(upper) / (vector.length(upper) + vector.length(lower))
  local from = share < bend and vector.add(shoulder, vector.scale(upper, share / bend))
    or vector.add(elbow, vector.scale(lower, (share - bend) / (1 - bend)))
  local along = share < bend and upper or lower
  along = vector.unit(along)
  local from_x, from_y, from_z = from[1], from[2], from[3]
  local along_x, along_y, along_z = along[1], along[2], along[3]
  local begins = share == 0 and ARMHOLE * man.size or 0
  local narrow, wide = ARM * man.size, 2 * ARM * man.size -- hands are wide, and nothing else is near them
  local widens = share > bend and -math.huge or .3 * vector.length(upper)
  return function(place)
    local x, y, z = place[1] - from_x, place[2] - from_y, place[3] - from_z
    local down = x * along_x + y * along_y + z * along_z
    local aside = math.sqrt(math.max(0, x * x + y * y + z * z - down * down))
    return math.min(down - begins, (down > widens and wide or narrow) - aside)
  end
end

-- How far a place is inside the edge at the legs.
local function above_legs(man, legs)
  if legs >= 2 then return function() return 1 end end
  local hips, ankles = man:level(0), man:level(-2)
  if legs > 0 then
    local edge = hips + (ankles + ANKLE * man.size - hips) * legs
    return function(place) return place[2] - edge end
  end
  local middle, widest, slope = man:at("hips")[1], WIDE * man.size, math.sqrt(1 + CUT * CUT)
  local edge = hips + (CROTCH - .02) * man.size
  return function(place)
    return (place[2] - edge - CUT * math.min(widest, math.abs(place[1] - middle))) / slope
  end
end

-- How far a place is below the neckline: an ellipsoid round the whole neck, and all above it, is left out. It is wider
-- than the neck everywhere, so that its edge runs over the shoulders and not along the neck.
local function below_neck(man, radius)
  local height = man:level(1) + .055 * man.size
  local middle_x, middle_z = man:at("neck")[1], man:at("left_upper_arm")[3] + NECK.ahead * man.size
  local top, half = height + .03 * man.size, radius * man.size
  return function(place)
    local x, y, z = NECK.x * (place[1] - middle_x), place[2] - height, NECK.z * (place[3] - middle_z)
    return math.min(math.sqrt(x * x + y * y + z * z) - half, top - place[2])
  end
end

local function below_level(man, level)
  local top = man:level(level)
  return function(place) return top - place[2] end
end

local function above_level(man, level)
  local bottom = man:level(level)
  return function(place) return place[2] - bottom end
end

return function(options)
  local all = read_options(options, own)
  local man = all.body or require "rigs.human"
  local skin = assert(all.skin, "skin: expected the mesh of a body")
  local above = all.bottom and above_level(man, all.bottom) or above_legs(man, all.legs)
  local below = all.top and below_level(man, all.top) or below_neck(man, all.neck)
  if all.bottom and all.sleeves > 0 then -- arms hang lower
    local level, left_arm, right_arm = above, arm(man, "left", 0), arm(man, "right", 0)
    above = function(place) return math.max(level(place), left_arm(place), right_arm(place)) end
  end
  local left, right
  if all.sleeves < 2 then
    left, right = arm(man, "left", math.min(1, all.sleeves)), arm(man, "right", math.min(1, all.sleeves))
  end
  local function within(place)
    local depth = math.min(below(place), above(place))
    return left and math.min(depth, -left(place), -right(place)) or depth
  end
  if all.bare then
    return skin:part { name = all.name, out = 0, within = function(place) return -within(place) end }
  end
  return skin:part {
    name = all.name, out = all.out * man.size, covers = 2 * all.out * man.size, within = within,
    material = { color = all.color, roughness = all.roughness, pattern = all.pattern },
  }
end
