-- A skirt: a ring of cloth from the waist to the knees, wider and wider downward.
--
--   skirt { name = "skirt", columns = 24, rows = 10, fabric = "silk", hem = -.9, flare = .25 }
--   skirt { body = dancer }      -- any humanoid, default rigs.human
--   skirt { fabric = "silk", circle = 1 }
--
-- With `circle` it is cut from a circle, a whole one with 1: as wide as that at the hem, it hangs in folds, and flies
-- out when the wearer turns.

local tweed = require "tweed"
local tailor = require "garments.tailor"
local yoke = require "garments.yoke"
local vector = require "rigs.vector"

local own = { -- { key, default, from, to, unit }
  "body",
  { "columns", 24, 3, 128 }, { "rows", 10, 2, 128 },
  { "top", .223, 0, 1, "m" },         -- from the hip joints up to the waistband
  { "hem", -.85, -3, 3 },             -- level of the hem: so far down the thighs
  { "clearance", .018, 0, .5, "m" },  -- between body and cloth
  { "flare", .22, 0, 2, "m" },        -- how much farther the hem stands out
  { "circle", 0, 0, 1 },              -- share of a circle that it is cut from; 0: no wider than it hangs
  { "waistband", 0, 0, .1, "m" },     -- how high a band is, skinned, that lies on the body above the cloth; 0: none
}
local BAND = .011 -- m between body and waistband
local defaults = {
  name = "skirt", fabric = "cotton", max_distance = { top = 0, bottom = .6, curve = .8 },
  self_collision = .02,
}

local function band_of(man, cloth, height)
  local row_one = { table.unpack(cloth.positions, 1, cloth.columns) }
  local middle = { 0, row_one[1][2], man:at("hips")[3] }
  local outlines = {}
  for row = 1, 2 do
    middle = { middle[1], row_one[1][2] + (2 - row) * height * man.size, middle[3] }
    local outline = tailor.outline(man, tailor.shapes(man, man.trunk), middle, BAND * man.size)
    outlines[row] = { middle = middle, at = outline }
  end
  return yoke(cloth, function(row, column)
    local from, out = outlines[row], vector.subtract(row_one[column], outlines[2].middle)
    local angle = math.atan(out[1], out[3])
    local position = vector.add(from.middle,
      vector.scale({ math.sin(angle), 0, math.cos(angle) }, from.at(angle)))
    if row == 2 then position[2] = position[2] + .004 * man.size end
    return position, { [cloth.attach] = 1 }
  end, 2)
end

return function(options)
  local cut, cloth = tailor.fields(options, own, defaults)
  local man = cut.body
  local waist, bone = tailor.waist(man, cut.top)
  cloth.references = cloth.references or man.trunk
  cloth.attach = cloth.attach or bone
  cloth.closed = true
  cloth.positions = tailor.round(man, {
    columns = cut.columns, rows = cut.rows, top = waist, hem = cut.hem,
    clearance = cut.clearance, flare = cut.flare, colliders = man.trunk,
  })
  if cut.circle > 0 then cloth.pattern = tailor.circle(cloth.positions, cut.columns, cut.circle) end
  tweed.cloth(cloth)
  if cut.waistband > 0 and not cloth.meshes then cloth.meshes = band_of(man, cloth, cut.waistband) end
  return cloth
end
