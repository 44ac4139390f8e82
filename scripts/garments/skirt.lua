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

local own = { -- { key, default, from, to, unit }
  "body",
  { "columns", 24, 3, 128 }, { "rows", 10, 2, 128 },
  { "top", .223, 0, 1, "m" },         -- from the hip joints up to the waistband
  { "hem", -.85, -3, 3 },             -- level of the hem: so far down the thighs
  { "clearance", .018, 0, .5, "m" },  -- between body and cloth
  { "flare", .22, 0, 2, "m" },        -- how much farther the hem stands out
  { "circle", 0, 0, 1 },              -- share of a circle that it is cut from; 0: no wider than it hangs
}
local defaults = {
  name = "skirt", fabric = "cotton", max_distance = { top = 0, bottom = .6, curve = .8 },
  self_collision = .02,
}

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
  return tweed.cloth(cloth)
end
