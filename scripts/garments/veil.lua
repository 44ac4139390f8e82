-- A veil: thin cloth over the head, from a band that runs from temple to temple over the crown, open in front of the
-- face, down over the shoulders.
--
--   veil { name = "veil", fabric = "veil", hem = .4 }
--   veil { body = lady }         -- any humanoid, default rigs.human

local tweed = require "tweed"
local tailor = require "garments.tailor"
local vector = require "rigs.vector"

local own = { -- { key, default, from, to, unit }
  "body",
  { "columns", 21, 2, 128 }, { "rows", 19, 4, 128 },
  { "hem", .45, -3, 3 },              -- level of the hem: below the shoulder blades
  { "face", 55, 1, 170, "degrees" },  -- from straight ahead to its edges
  { "clearance", .012, 0, .5, "m" },  -- between head and cloth
  { "flare", .14, 0, 2, "m" },        -- how much farther the hem stands out
}
local EARS = 1.6             -- level from which on it hangs
local BAND = math.rad(80)    -- from the crown down to both temples
local FORWARD = math.rad(25) -- from the crown to the band
local trunk = { "head", "chest", "abdomen" }
local body = { -- it falls over the shoulders
  "head", "chest", "abdomen", "upper_arm_left", "upper_arm_right", "shoulder_left", "shoulder_right",
}
local defaults = {
  name = "veil", fabric = "veil",
  references = trunk, max_distance = { top = 0, bottom = .45, curve = .8 },
}

-- The rows on the head: from the band, over the head, to a row that hangs round it; without that row.
local function cap(man, rows, below, clearance)
  local head = tailor.shapes(man, { "head" })[1]
  local at = man.rest[head.bone]
  local middle = vector.add(at.position, tweed.quaternion.rotate(at.rotation, head.center))
  local points, columns = {}, #below
  local function on_head(way)
    local out = vector.unit(way)
    for axis = 1, 3 do out[axis] = middle[axis] + out[axis] * (head.radii[axis] + clearance) end
    return out
  end
  for row = 0, rows - 1 do
    for column, hanging in ipairs(below) do
      local side = BAND * (1 - 2 * (column - 1) / (columns - 1))
      local up = math.cos(side)
      local band = { math.sin(side), up * math.cos(FORWARD), up * math.sin(FORWARD) }
      local out = vector.subtract(hanging, middle)
      out[2] = 0
      out = vector.unit(out)
      points[#points + 1] = on_head(vector.mix(band, out, row / rows))
    end
  end
  return points
end

return function(options)
  local cut, cloth = tailor.fields(options, own, defaults)
  local man = cut.body
  cloth.attach = cloth.attach or man.bone.head
  local on_head = math.max(2, cut.rows * 2 // 5)
  local hanging = tailor.round(man, {
    columns = cut.columns, rows = cut.rows - on_head, top = EARS, hem = cut.hem,
    clearance = cut.clearance, flare = cut.flare,
    first = math.rad(cut.face), last = math.rad(360 - cut.face), colliders = body,
  })
  cloth.positions = cap(man, on_head, { table.unpack(hanging, 1, cut.columns) }, cut.clearance * man.size)
  table.move(hanging, 1, #hanging, #cloth.positions + 1, cloth.positions)
  return tweed.cloth(cloth)
end
