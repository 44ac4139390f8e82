-- A cape: hangs from the shoulders down the back to the shins. Its yoke, from the collar over the shoulders, is
-- skinned, as is the chain with two brooches that closes it below the neck; the cloth below the shoulder blades is
-- simulated.
--
--   cape { name = "cape", fabric = "silk", hem = -1.4 }
--   cape { body = hero }         -- any humanoid, default rigs.human

local tweed = require "tweed"
local tailor = require "garments.tailor"
local new_cage = require "garments.cage"
local yoke = require "garments.yoke"
local vector = require "rigs.vector"

local own = { -- { key, default, from, to, unit }
  "body",
  { "columns", 15, 2, 128 }, { "rows", 14, 2, 128 },
  { "top", .97, -3, 3 },              -- level of the collar: a little below the shoulder joints
  { "hem", -1.35, -3, 3 },            -- level of the hem: below the knees
  { "clearance", .03, 0, .5, "m" },   -- between back and cloth
  { "flare", .10, 0, 2, "m" },        -- how much farther the hem stands out
  { "fullness", 0, 0, 2 },            -- share by which the hem is cut wider than it hangs: it falls in folds
  "lining",                           -- the material of its inner side, where that is another
}
local defaults = {
  name = "cape", fabric = "silk", max_distance = { top = 0, bottom = .9, curve = .8 },
  self_collision = .02,
}

-- The yoke's rows from the collar down, from the edge before the left shoulder to the middle of the back; m on the
-- human of rigs/human.lua, whose shoulder joints are at this height and so far to the side and back.
local SHOULDERS, HIPS, WIDTH, DEPTH = 1.303, .899, .185, -.034
local YOKE = {
  { { .036, 1.324, .053 }, { .078, 1.374, .006 }, { .082, 1.402, -.038 }, { .060, 1.402, -.084 },
    { 0, 1.388, -.102 } },
  { { .092, 1.358, .038 }, { .130, 1.389, .000 }, { .138, 1.396, -.048 }, { .102, 1.380, -.110 },
    { 0, 1.357, -.134 } },
  { { .150, 1.374, .012 }, { .182, 1.376, -.026 }, { .184, 1.362, -.084 }, { .124, 1.338, -.136 },
    { 0, 1.322, -.152 } },
}
local SHOULDER = { .10, .35 } -- share of the shoulder's bone in rows 2 and 3, at the side
local BACK = { .055, .030, .012 } -- m that the cloth is drawn back at the sides, where shoulders would come through

local FLAT = { .020, .009 }       -- m that it is drawn towards the back in the middle, which it lies on below

local BROOCH = { .040, 1.3215, .0575 }       -- the middle of the left one's back
local DOME = { { .0150, 0 }, { .0148, .0025 }, { .0120, .0045 }, { .0105, .0035 }, { .0070, .0062 }, { .0010, .0075 } }
local FORWARD, UP = { 0, .55, .835 }, { 0, .835, -.55 } -- of the chest there
local SAG, LINK = .014, .0035                -- how far the chain hangs through; half its height
local GOLD = { color = { .72, .53, .20 }, roughness = .28, pattern = "smooth" }

-- A function from a place on the human to the one on a man.
local function placer(man)
  local middle = vector.mix((man:at "left_upper_arm"), (man:at "right_upper_arm"), .5)
  local half = math.abs(man:at("left_upper_arm")[1] - middle[1]) / WIDTH
  return function(told, sign)
    return { middle[1] + sign * told[1] * half, man:level((told[2] - HIPS) / (SHOULDERS - HIPS)),
             middle[3] + (told[3] - DEPTH) * man.size }
  end
end

-- Two brooches, each of rings from its rim to its middle, and the chain from one to the other.
local function clasp_of(man, cloth)
  local cage, place, weights = new_cage(.003), placer(man), { [man.bone.chest] = 1 }
  local around, along = 16, 11
  for _, sign in ipairs { 1, -1 } do
    local ids = cage:points(#DOME, around, function(row, column)
      local angle, radius, out = (column - 1) / around * 2 * math.pi, DOME[row][1], DOME[row][2]
      local aside = { -math.sin(angle) * radius, 0, 0 }
      local up = vector.add(vector.scale(UP, math.cos(angle) * radius), vector.scale(FORWARD, out))
      return vector.add(place(BROOCH, sign), vector.scale(vector.add(aside, up), man.size)), weights
    end)
    for _, ring in ipairs(ids) do ring[#ring + 1] = ring[1] end
    cage:grid(ids)
  end
  cage:grid(cage:points(3, along, function(row, column)
    local t = 1 - 2 * (column - 1) / (along - 1)
    local told = vector.add(BROOCH, { (math.abs(t) - 1) * BROOCH[1], (t * t - 1) * SAG, .0015 + .0055 * (1 - t * t) })
    told = vector.add(told, vector.scale(UP, (2 - row) * LINK))
    return place(told, t < 0 and -1 or 1), weights
  end))
  return cage:mesh(cloth.name .. "_clasp", GOLD, { cloth = cloth, sides = "outer", levels = 1 })
end

local function yoke_of(man, cloth, lining)
  local place_of = placer(man)
  return yoke(cloth, function(row, column)
    local along = 1 - 2 * (column - 1) / (cloth.columns - 1) -- 1 at the left edge, -1 at the right one
    local place = (1 - math.abs(along)) * 4 + 1
    local k = math.min(4, math.floor(place))
    local told = vector.mix(YOKE[row][k], YOKE[row][k + 1], place - k)
    local position = place_of(told, along < 0 and -1 or 1)
    local weights, share = { [man.bone.chest] = 1 }, (SHOULDER[row - 1] or 0) * math.min(1, 2 * math.abs(along))
    local bone = man.bone[(along > 0 and "left" or "right") .. "_shoulder"]
    if bone and share > 0 then weights = { [man.bone.chest] = 1 - share, [bone] = share } end
    return position, weights
  end, {
    rows = #YOKE, lining = lining,
    moved = function(row, column, position)
      local side = math.max(0, math.abs(4 * (column - 1) / (cloth.columns - 1) - 2) - 1) -- 0 in the middle half
      return { position[1], position[2],
               position[3] + ((1 - side) * (FLAT[row] or 0) - side * (BACK[row] or 0)) * man.size }
    end,
  })
end

return function(options)
  local cut, cloth = tailor.fields(options, own, defaults)
  local man = cut.body
  local shoulders = man:way("right_upper_arm", "left_upper_arm")[1] / 2
  cloth.references = cloth.references or man.trunk
  cloth.attach = cloth.attach or man.bone.chest
  cloth.positions = tailor.round(man, {
    columns = cut.columns, rows = cut.rows, top = cut.top, hem = cut.hem, clearance = cut.clearance, flare = cut.flare,
    first = math.rad(110), last = math.rad(250), colliders = man.trunk,
    least = tailor.ellipse(shoulders, .12 * man.size), -- from shoulder to shoulder, behind the back
  })
  if cut.fullness > 0 then cloth.pattern = tailor.full(cloth.positions, cut.columns, cut.fullness) end
  tweed.cloth(cloth)
  if not cloth.meshes and cloth.attach == man.bone.chest then
    cloth.meshes = yoke_of(man, cloth, cut.lining)
    cloth.meshes[#cloth.meshes + 1] = clasp_of(man, cloth)
  end
  return cloth
end
