-- A skirt: a ring of cloth from the waist to the knees, wider and wider downward.
--
--   skirt { name = "skirt", columns = 24, rows = 10, fabric = "silk", hem = -.9, flare = .25 }
--   skirt { body = dancer }      -- any humanoid, default rigs.human

local tweed = require "tweed"
local tailor = require "garments.tailor"

local defaults = {
  name = "skirt", fabric = "cotton",
  columns = 24, rows = 10,
  top = .223,          -- m from the hip joints up to the waistband
  hem = -.85,          -- level of the hem: so far down the thighs
  clearance = .018,    -- m between body and cloth
  flare = .22,         -- m that the hem stands out farther
  max_distance = { top = 0, bottom = .6, curve = .8 },
}
local own = { body = true, top = true, hem = true, clearance = true, flare = true }

return function(options)
  local cut, cloth = tailor.fields(defaults, options, own)
  local man = cut.body
  cloth.colliders = cloth.colliders or man.trunk
  local waist, bone = tailor.waist(man, cut.top)
  cloth.attach = cloth.attach or bone
  cloth.closed = true
  cloth.positions = tailor.round(man, {
    columns = cut.columns, rows = cut.rows, top = waist, hem = cut.hem,
    clearance = cut.clearance, flare = cut.flare, colliders = man.trunk,
  })
  return tweed.cloth(cloth)
end
