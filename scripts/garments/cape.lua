-- A cape: hangs from the shoulders down the back to the shins.
--
--   cape { name = "cape", fabric = "silk", hem = -1.4 }
--   cape { body = hero }         -- any humanoid, default rigs.human

local tweed = require "tweed"
local tailor = require "garments.tailor"

local own = { -- { key, default, from, to, unit }
  "body",
  { "columns", 15, 2, 128 }, { "rows", 14, 2, 128 },
  { "top", .97, -3, 3 },              -- level of the collar: a little below the shoulder joints
  { "hem", -1.35, -3, 3 },            -- level of the hem: below the knees
  { "clearance", .03, 0, .5, "m" },   -- between back and cloth
  { "flare", .10, 0, 2, "m" },        -- how much farther the hem stands out
}
local defaults = {
  name = "cape", fabric = "silk", max_distance = { top = 0, bottom = .9, curve = .8 },
  self_collision = .02,
}

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
  return tweed.cloth(cloth)
end
