-- A jacket's lower part: a grid of cloth that hangs from the waist round the body and is open in front.
--
--   jacket { name = "jacket", columns = 17, rows = 9, open = "front", fabric = "tweed" }
--   jacket { name = "jacket", body = boxer, fabric = "denim" }     -- any humanoid, default rigs.human
--
-- It is cut to the body at rest, and to its proportions; metres are those of a man of size 1 (rigs/humanoid.lua). Any
-- other field of tweed.cloth may be given too.

local tweed = require "tweed"
local tailor = require "garments.tailor"

local own = { -- { key, default, from, to, unit }
  "body",
  { "columns", 17, 2, 128 }, { "rows", 9, 2, 128 },
  { "open", "front" },                -- or false: a closed ring
  { "gap", .07, 0, .5, "m" },         -- between the edges in front, at the waist
  { "top", .251, 0, 1, "m" },         -- from the hip joints up to the waist
  { "hem", -.56, -3, 3 },             -- level of the hem: so far down the thighs
  { "clearance", .022, 0, .5, "m" },  -- between body and cloth
  { "flare", .03, 0, 2, "m" },        -- how much farther the hem stands out
}
local defaults = { name = "jacket", fabric = "tweed", max_distance = { top = 0, curve = 1 } } -- the fabric's at the hem

return function(options)
  local cut, cloth = tailor.fields(options, own, defaults)
  local man = cut.body
  cloth.colliders = cloth.colliders or man.trunk -- cloth between trunk and arms would have nowhere to go
  local waist, bone = tailor.waist(man, cut.top)
  cloth.attach = cloth.attach or bone
  cloth.closed = not cut.open
  cloth.positions = tailor.round(man, {
    columns = cut.columns, rows = cut.rows, top = waist, hem = cut.hem,
    gap = cut.open and cut.gap, clearance = cut.clearance, flare = cut.flare, colliders = man.trunk,
  })
  return tweed.cloth(cloth)
end
