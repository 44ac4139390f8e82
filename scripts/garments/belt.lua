-- A belt at the top of trousers, with a buckle: skinned, not simulated.
--
--   local jeans = trousers {}
--   meshes = { jeans, belt { over = jeans } }    -- of a character
--
-- Returns two meshes. over: the mesh that it lies on; by default the flesh.

local read_options = require "rigs.options"
local tailor = require "garments.tailor"
local new_cage = require "garments.cage"
local vector = require "rigs.vector"

local own = { -- { key, default, from, to, unit }
  "body", "over", { "name", "belt" }, { "color", { .10, .065, .045 } },
  { "top", .158, 0, .3, "m" },        -- from the hip joints up to its upper edge
  { "width", .032, .01, .1, "m" },
  { "out", .0005, 0, .05, "m" },      -- from what it lies on
}
local AROUND, ROWS = 24, 3
local FLESH = .001                    -- m more on the flesh
local BUCKLE = { .019, .019 }         -- m, half its width and height
local RIM, CORNERS = .005, 16
local METAL = { color = { .70, .66, .58 }, roughness = .3, pattern = "smooth" }

return function(options)
  local all = read_options(options, own)
  local man = all.body or require "rigs.human"
  local shapes = tailor.shapes(man, { "pelvis", "abdomen" })
  local function weights(row) -- as of the trousers there
    local spine = .58 - .26 * (row - 1) / (ROWS - 1)
    return { [man.bone.hips] = 1 - spine, [man.bone.spines[1]] = spine }
  end
  local top, rows = man:level(0) + all.top * man.size, {}
  for row = 1, ROWS do
    local middle = { 0, top - (row - 1) / (ROWS - 1) * all.width * man.size, man:at("hips")[3] + .012 * man.size }
    local flesh = tailor.outline(man, shapes, middle, FLESH * man.size)
    rows[row] = { middle = middle, outline = all.over and tailor.skin_outline(all.over, middle, .008 * man.size, 0,
      function(angle) return flesh(angle) + .03 * man.size end) or flesh }
  end
  local function at(row, angle, out)
    return vector.add(rows[row].middle,
      vector.scale({ math.sin(angle), 0, math.cos(angle) }, rows[row].outline(angle) + (all.out + out) * man.size))
  end
  local belt, buckle = new_cage(.003, .03), new_cage(.0025, .01)
  local ids = belt:points(ROWS, AROUND, function(row, column)
    return at(row, (column - .5) / AROUND * 2 * math.pi, 0), weights(row)
  end)
  for _, row in ipairs(ids) do row[#row + 1] = row[1] end
  belt:grid(ids)
  local top_front, bottom_front = at(1, 0, .0025), at(ROWS, 0, .0025)
  local frame = buckle:points(2, CORNERS, function(row, column) -- a frame: its outer edge, then its inner one
    local angle, inner = (column - .5) / CORNERS * 2 * math.pi, row == 2 and RIM or 0
    local x, y = math.sin(angle), math.cos(angle)
    local square = 1 / math.max(math.abs(x), math.abs(y)) ^ .8
    local down = .5 - y * square * (BUCKLE[2] - inner) / all.width
    return vector.add(vector.mix(top_front, bottom_front, down),
      { x * square * (BUCKLE[1] - inner) * man.size, 0, 0 }), weights(2)
  end)
  for _, row in ipairs(frame) do row[#row + 1] = row[1] end
  buckle:grid(frame)
  local look = { color = all.color, roughness = .45, pattern = "smooth" }
  return belt:mesh(all.name, look, { sides = "outer", levels = 1 }),
    buckle:mesh(all.name .. "_buckle", METAL, { sides = "outer", levels = 1 })
end
