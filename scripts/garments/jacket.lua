-- A jacket. Its lower part is simulated: a grid of cloth that hangs from the waist round the body and is open in front.
--
--   jacket { name = "jacket", columns = 17, rows = 9, open = "front", fabric = "tweed" }
--   jacket { name = "jacket", body = boxer, fabric = "denim" }     -- any humanoid, default rigs.human
--
-- With `upper` it hangs from the shoulders: its top row is attached to the waist's bones of garments/jacket_upper.lua,
-- which the character has as its driven bones, and rises with the shoulders. Then it is a whole jacket to look at, with
-- sleeves, collar, pockets and lining (garments/jacket_mesh.lua). Otherwise it is attached to the waist, and looks like
-- its grid.
--
-- With `vent` it is slit in the back or at both sides. A vent doubles the column that it runs along, so that the cloth
-- has one column more for each than `columns` says.
--
-- It is cut to the body at rest, and to its proportions; metres are those of a man of size 1 (rigs/humanoid.lua). Any
-- other field of tweed.cloth may be given too.

local tweed = require "tweed"
local tailor = require "garments.tailor"
local jacket_mesh = require "garments.jacket_mesh"
local vector = require "rigs.vector"

local own = { -- { key, default, from, to, unit }
  "body",
  { "columns", 17, 2, 128 }, { "rows", 9, 2, 128 },
  { "open", "front" },                -- or false: a closed ring
  { "gap", .07, 0, .5, "m" },         -- between the edges in front, at the waist
  { "top", .251, 0, 1, "m" },         -- from the hip joints up to the waist
  { "hem", -.56, -3, 3 },             -- level of the hem: so far down the thighs
  { "clearance", .022, 0, .5, "m" },  -- between body and cloth
  { "flare", .03, 0, 2, "m" },        -- how much farther the hem stands out
  { "fullness", 0, 0, 1 },            -- how much wider the hem is cut than it hangs: it falls in folds
  { "vent", false },                  -- "back": slit in the middle of the back; "sides": at both sides
  { "vent_top", .5, 0, 1 },           -- where it begins, as a share of the way down from the waist
  { "upper", false },                 -- whether it hangs from the shoulders
  { "lining", { color = { .56, .30, .20 }, roughness = .4, pattern = "satin" } }, -- with upper: its material; or
                                      -- false: none, and one sees through the cloth what is worn below
  { "front", "lapels" },              -- with upper: folded back to lapels, or "closed" up to a collar that stands
  "stitching",                        -- with upper: the color of seams that are sewn with a thread that one sees
  "hood",                             -- with upper: the bone of a hood that lies on its back, such as a pendulum's
  { "hood_material", { color = { .44, .44, .45 }, roughness = .95, pattern = "plain" } }, -- or false: the jacket's
}
local VENT = .03 -- of a cell: how far a vent's edges are apart from its middle
local SEAM = .85 -- of the half width and depth of the top row: within, it blends from bone to bone
local defaults = {
  name = "jacket", fabric = "tweed", max_distance = { top = 0, curve = 1 }, -- the fabric's at the hem
  self_collision = .02,
}

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

-- The columns at which a jacket with these columns in its top row is slit.
local function vented_columns(kind, points, columns)
  if not kind then return {} end
  if kind == "back" then return { (columns + 1) // 2 } end
  if kind ~= "sides" then error(("vent: expected \"back\", \"sides\" or false, found %s"):format(tostring(kind)), 0) end
  local left, right = 1, 1
  for column = 2, columns do
    if points[column][1] > points[left][1] then left = column end
    if points[column][1] < points[right][1] then right = column end
  end
  return { left, right }
end

-- Cuts vents: doubles their columns, which a slit parts below the vent's top. Returns the points, and the slits as
-- tweed.cloth has them.
local function cut_vents(cut, points)
  local vented, slits, cloth = {}, {}, {}
  local top = math.max(1, math.floor(cut.vent_top * (cut.rows - 1) + .5))
  for _, column in ipairs(vented_columns(cut.vent, points, cut.columns)) do
    vented[column] = true
    slits[#slits + 1] = { column = column - 1 + #slits, row = math.min(top + 1, cut.rows - 1) }
  end
  for i, point in ipairs(points) do
    local column = (i - 1) % cut.columns + 1
    if vented[column] then
      cloth[#cloth + 1] = vector.mix(point, points[i - 1], VENT)
      cloth[#cloth + 1] = vector.mix(point, points[i + 1], VENT)
    else
      cloth[#cloth + 1] = point
    end
  end
  return cloth, slits
end

return function(options)
  local cut, cloth = tailor.fields(options, own, defaults)
  local man = cut.body
  local waist, bone = tailor.waist(man, cut.top)
  cloth.references = cloth.references or man.trunk
  cloth.closed = not cut.open
  cloth.positions, cloth.slits = cut_vents(cut, tailor.round(man, {
    columns = cut.columns, rows = cut.rows, top = waist, hem = cut.hem,
    gap = cut.open and cut.gap, clearance = cut.clearance, flare = cut.flare, colliders = man.trunk,
  }))
  cloth.columns = cut.columns + #cloth.slits
  if cut.fullness > 0 then cloth.pattern = tailor.full(cloth.positions, cloth.columns, cut.fullness) end
  cloth.attach = cloth.attach or cut.upper and shoulders(cloth.positions, cloth.columns) or bone
  if cut.front ~= "lapels" and cut.front ~= "closed" then
    error(('front: expected "lapels" or "closed", found %s'):format(tostring(cut.front)), 0)
  end
  tweed.cloth(cloth)
  if cut.upper and cut.open and not cloth.meshes then
    cloth.meshes = jacket_mesh(man, cloth, {
      front = cut.front, hood = cut.hood, hood_material = cut.hood_material, lining = cut.lining,
      stitching = cut.stitching,
    })
  end
  return cloth
end
