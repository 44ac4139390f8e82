-- What fits like a skin: leotards, tights, gloves, boots. It is cut out of the body's own mesh, a little outside of it,
-- and follows the skin wherever it goes; nothing is simulated.
--
--   bodysuit { skin = body(human)[1], name = "leotard", color = { .1, .1, .12 } }       -- trunk alone
--   bodysuit { skin = body(human)[1], name = "suit", sleeves = 1, legs = 1 }            -- down to wrists and ankles
--   bodysuit { skin = body(human)[1], name = "tights", top = .4, legs = 1 }             -- from the waist down

local read_options = require "rigs.options"
local vector = require "rigs.vector"

local own = { -- { key, default, from, to, unit }
  "body", "skin", { "name", "bodysuit" }, { "color", { .12, .12, .14 } }, { "roughness", .7, 0, 1 },
  { "pattern", "plain" },
  { "out", .0022, 0, .1, "m" },   -- how far it stands off the skin
  { "neck", .075, .03, .3, "m" }, -- the radius of the neckline
  { "top", false },               -- level at which it begins, in place of the neckline: tights, boots
  { "sleeves", 0, 0, 2 },         -- how far down the arms: 1 at the wrists, 2 over the hands
  { "legs", 0, 0, 2 },            -- how far down the legs: 1 at the ankles, 2 over the feet
}
local ARM, ARMHOLE = .075, -.012  -- m from an arm's axis and from the shoulder joint at which arms end
local CROTCH, CUT = -.07, .75     -- of a suit without legs: m from the hip joints, and how steep its edges rise
local WIDE = .17                  -- m to the side up to which they rise: arms are farther out
local ANKLE = .02                 -- m above the ankles at which legs end

-- How deep a place is within the arm beyond a share of the way down it; 0 and less: not in it.
local function in_arm(man, side, place, share)
  local shoulder, elbow = (man:at(side .. "_upper_arm")), (man:at(side .. "_lower_arm"))
  local wrist = (man:at(side .. "_hand"))
  local upper, lower = vector.subtract(elbow, shoulder), vector.subtract(wrist, elbow)
  local bend = vector.length(upper) / (vector.length(upper) + vector.length(lower))
  local from = share < bend and vector.add(shoulder, vector.scale(upper, share / bend))
    or vector.add(elbow, vector.scale(lower, (share - bend) / (1 - bend)))
  local along = share < bend and upper or lower
  along = vector.scale(along, 1 / vector.length(along))
  local off = vector.subtract(place, from)
  local down = vector.dot(off, along)
  local aside = vector.length(vector.subtract(off, vector.scale(along, down)))
  local reach = down > .3 * vector.length(upper) and 2 * ARM or ARM -- hands are wide, and nothing else is near them
  if share > bend then reach = 2 * ARM end
  return math.min(down - (share == 0 and ARMHOLE or 0) * man.size, reach * man.size - aside)
end

-- How far a place is inside the edge at the legs.
local function above_legs(man, place, legs)
  local hips, ankles = man:level(0), man:level(-2)
  if legs >= 2 then return 1 end
  if legs > 0 then return place[2] - (hips + (ankles + ANKLE * man.size - hips) * legs) end
  local rise = CUT * math.min(WIDE * man.size, math.abs(place[1] - man:at("hips")[1]))
  return (place[2] - hips - CROTCH * man.size - rise + .02 * man.size) / math.sqrt(1 + CUT * CUT)
end

-- How far a place is below the neckline: a ball round the neck's front, and all above it, is left out.
local function below_neck(man, place, radius)
  local height = man:level(1) + .055 * man.size
  local middle = { man:at("neck")[1], height, man:at("left_upper_arm")[3] + .03 * man.size }
  return math.min(vector.length(vector.subtract(place, middle)) - radius * man.size,
    height + .03 * man.size - place[2])
end

return function(options)
  local all = read_options(options, own)
  local man = all.body or require "rigs.human"
  local skin = assert(all.skin, "skin: expected the mesh of a body")
  local function within(place)
    local depth = all.top and man:level(all.top) - place[2] or below_neck(man, place, all.neck)
    if all.sleeves < 2 then
      for _, side in ipairs { "left", "right" } do
        depth = math.min(depth, -in_arm(man, side, place, math.min(1, all.sleeves)))
      end
    end
    return math.min(depth, above_legs(man, place, all.legs))
  end
  return skin:part {
    name = all.name, within = within, out = all.out * man.size,
    material = { color = all.color, roughness = all.roughness, pattern = all.pattern },
  }
end
