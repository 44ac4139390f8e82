-- A veil: thin cloth round the head, open in front of the face, down over the shoulders.
--
--   veil { name = "veil", fabric = "veil", hem = .4 }
--   veil { body = lady }         -- any humanoid, default rigs.human

local tweed = require "tweed"
local tailor = require "garments.tailor"

local own = { -- { key, default, from, to, unit }
  "body",
  { "columns", 17, 2, 128 }, { "rows", 12, 2, 128 },
  { "top", 1.8, -3, 3 },              -- level of the band: at the brow, between shoulder joints and crown
  { "hem", .45, -3, 3 },              -- level of the hem: below the shoulder blades
  { "face", 55, 1, 170, "degrees" },  -- from straight ahead to its edges
  { "clearance", .015, 0, .5, "m" },  -- between head and cloth
  { "flare", .04, 0, 2, "m" },        -- how much farther the hem stands out
}
local defaults = {
  name = "veil", fabric = "veil",
  colliders = { "head", "chest", "abdomen" },
  max_distance = { top = 0, bottom = .45, curve = .8 },
}

return function(options)
  local cut, cloth = tailor.fields(options, own, defaults)
  local man = cut.body
  cloth.attach = cloth.attach or man.bone.head
  cloth.positions = tailor.round(man, {
    columns = cut.columns, rows = cut.rows, top = cut.top, hem = cut.hem, clearance = cut.clearance, flare = cut.flare,
    first = math.rad(cut.face), last = math.rad(360 - cut.face), colliders = cloth.colliders,
  })
  return tweed.cloth(cloth)
end
