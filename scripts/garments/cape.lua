-- A cape: hangs from the shoulders down the back to the shins.
--
--   cape { name = "cape", fabric = "silk", hem = -1.4 }
--   cape { body = hero }         -- any humanoid, default rigs.human

local tweed = require "tweed"
local tailor = require "garments.tailor"

local defaults = {
  name = "cape", fabric = "silk",
  columns = 15, rows = 14,
  top = .97,           -- level of the collar: a little below the shoulder joints
  hem = -1.35,         -- level of the hem: below the knees
  clearance = .03,     -- m between back and cloth
  flare = .10,         -- m that the hem stands out farther
  max_distance = { top = 0, bottom = .9, curve = .8 },
}
local own = { body = true, top = true, hem = true, clearance = true, flare = true }

return function(options)
  local cut, cloth = tailor.fields(defaults, options, own)
  local man = cut.body
  local shoulders = man:way("right_upper_arm", "left_upper_arm")[1] / 2
  cloth.colliders = cloth.colliders or man.trunk
  cloth.attach = cloth.attach or man.bone.chest
  cloth.positions = tailor.round(man, {
    columns = cut.columns, rows = cut.rows, top = cut.top, hem = cut.hem, clearance = cut.clearance, flare = cut.flare,
    first = math.rad(95), last = math.rad(265), colliders = man.trunk,
    least = tailor.ellipse(shoulders, .12 * man.size), -- from shoulder to shoulder, behind the back
  })
  return tweed.cloth(cloth)
end
