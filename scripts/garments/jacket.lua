-- A jacket's lower part: a grid of cloth that hangs from the waist round the body and is open in front.
--
--   jacket { name = "jacket", columns = 17, rows = 9, open = "front", fabric = "tweed" }
--   jacket { name = "jacket", body = boxer, fabric = "denim" }     -- any humanoid, default rigs.human
--
-- With `upper` it hangs from the shoulders: its top row is attached to the waist's bones of garments/jacket_upper.lua,
-- which the character has as its driven bones, and rises with the shoulders. Otherwise it is attached to the waist.
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
  { "upper", false },                 -- whether it hangs from the shoulders
}
local SEAM = .85 -- of the half width and depth of the top row: within, it blends from bone to bone
local defaults = { name = "jacket", fabric = "tweed", max_distance = { top = 0, curve = 1 } } -- the fabric's at the hem

-- For each column of the top row, the weights of jacket_upper's bones at the waist: by how far it is to the left and to
-- the front of the row's middle.
local function shoulders(points, columns)
  local least, most = { table.unpack(points[1]) }, { table.unpack(points[1]) }
  for column = 2, columns do
    for axis = 1, 3 do
      least[axis] = math.min(least[axis], points[column][axis])
      most[axis] = math.max(most[axis], points[column][axis])
    end
  end
  local function share(point, axis) -- 0 on one side, 1 on the other
    local off = (2 * point[axis] - least[axis] - most[axis]) / (most[axis] - least[axis]) / SEAM
    local x = math.max(0, math.min(1, (off + 1) / 2))
    return x * x * (3 - 2 * x)
  end
  local attach = {}
  for column = 1, columns do
    local left, front = share(points[column], 1), share(points[column], 3)
    attach[column] = {
      waist_front_left = left * front, waist_front_right = (1 - left) * front,
      waist_back_left = left * (1 - front), waist_back_right = (1 - left) * (1 - front),
    }
  end
  return attach
end

return function(options)
  local cut, cloth = tailor.fields(options, own, defaults)
  local man = cut.body
  local waist, bone = tailor.waist(man, cut.top)
  cloth.references = cloth.references or man.trunk
  cloth.closed = not cut.open
  cloth.positions = tailor.round(man, {
    columns = cut.columns, rows = cut.rows, top = waist, hem = cut.hem,
    gap = cut.open and cut.gap, clearance = cut.clearance, flare = cut.flare, colliders = man.trunk,
  })
  cloth.attach = cloth.attach or cut.upper and shoulders(cloth.positions, cut.columns) or bone
  return tweed.cloth(cloth)
end
