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
  "skin",                             -- the mesh of the body that it lies on; by default the flesh
}
local BAND = { .0075, .0085, .0085 } -- m between skin and waistband: its two rows, and the cloth's first
local FLESH = .007                -- m more where there is only flesh
-- Shares of the way to the band by which the cloth's first rows are drawn in, or out below it, where the cloth is
-- pressed on the hips and skin would come through.
local PULLED = { 1, -.5, -.45, -.25 }
local defaults = {
  name = "skirt", fabric = "cotton", max_distance = { top = 0, bottom = .6, curve = .8 },
  self_collision = .02,
}

-- The outline that a row of the band lies on, m above the cloth's first row.
local function band_outline(man, skin, middle, out)
  local shapes = tailor.shapes(man, man.trunk)
  if not skin then return tailor.outline(man, shapes, middle, (out + FLESH) * man.size) end
  return tailor.skin_outline(skin, middle, .012 * man.size, out * man.size,
    tailor.outline(man, shapes, middle, .02 * man.size))
end

local function band_of(man, cloth, height, skin)
  local top, outlines = cloth.positions[1][2], {}
  for row, up in ipairs { height * man.size, .004 * man.size, 0 } do
    local middle = { 0, top + up, man:at("hips")[3] }
    outlines[row] = { middle = middle, at = band_outline(man, skin, middle, BAND[row]) }
  end
  local function on_body(row, column)
    local from = outlines[row]
    local out = vector.subtract(cloth.positions[column], outlines[3].middle)
    local angle = math.atan(out[1], out[3])
    return vector.add(from.middle, vector.scale({ math.sin(angle), 0, math.cos(angle) }, from.at(angle)))
  end
  return yoke(cloth, function(row, column) return on_body(row, column), { [cloth.attach] = 1 } end, {
    rows = 2, held = { .9 }, thickness = .0012,
    moved = function(row, column, position)
      if not PULLED[row] then return position end
      local inward = vector.subtract(on_body(3, column), cloth.positions[column])
      return vector.add(position, vector.scale(inward, PULLED[row]))
    end,
  })
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
  if cut.waistband > 0 and not cloth.meshes then cloth.meshes = band_of(man, cloth, cut.waistband, cut.skin) end
  return cloth
end
