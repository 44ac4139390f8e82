-- A veil: thin cloth round the head, open in front of the face, down over the shoulders.
--
--   veil { name = "veil", fabric = "veil", hem = .4 }
--   veil { body = lady }         -- any humanoid, default rigs.human

local tweed = require "tweed"
local tailor = require "garments.tailor"

local defaults = {
  name = "veil", fabric = "veil",
  columns = 17, rows = 12,
  top = 1.8,           -- level of the band: at the brow, between shoulder joints and crown
  hem = .45,           -- level of the hem: below the shoulder blades
  face = 55,           -- degrees from straight ahead to its edges
  clearance = .015,    -- m between head and cloth
  flare = .04,         -- m that the hem stands out farther
  colliders = { "head", "chest", "abdomen" },
  max_distance = { top = 0, bottom = .45, curve = .8 },
}
local own = { body = true, top = true, hem = true, face = true, clearance = true, flare = true }

return function(options)
  local cut, cloth = tailor.fields(defaults, options, own)
  local man = cut.body
  cloth.attach = cloth.attach or man.bone.head
  cloth.positions = tailor.round(man, {
    columns = cut.columns, rows = cut.rows, top = cut.top, hem = cut.hem, clearance = cut.clearance, flare = cut.flare,
    first = math.rad(cut.face), last = math.rad(360 - cut.face), colliders = cloth.colliders,
  })
  return tweed.cloth(cloth)
end
