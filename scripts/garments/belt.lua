-- A belt at the top of trousers, with a buckle: skinned, not simulated.
--
--   meshes = { trousers {}, belt {} }            -- of a character
--
-- Returns two meshes.

local read_options = require "rigs.options"
local tailor = require "garments.tailor"
local new_cage = require "garments.cage"
local vector = require "rigs.vector"

local own = { -- { key, default, from, to, unit }
  "body", { "name", "belt" }, { "color", { .10, .065, .045 } },
  { "top", .163, 0, .3, "m" },        -- from the hip joints up to its upper edge
  { "width", .032, .01, .1, "m" },
}
local AROUND, ROWS = 24, 3
local BUCKLE = { .021, .019 }         -- m, half its width and height
local METAL = { color = { .70, .66, .58 }, roughness = .3, pattern = "smooth" }

return function(options)
  local all = read_options(options, own)
  local man = all.body or require "rigs.human"
  local shapes = tailor.shapes(man, { "pelvis", "abdomen" })
  local function weights(row) -- as of the trousers there
    local spine = .6 - .24 * (row - 1) / (ROWS - 1)
    return { [man.bone.hips] = 1 - spine, [man.bone.spines[1]] = spine }
  end
  local top, rows = man:level(0) + all.top * man.size, {}
  for row = 1, ROWS do
    local middle = { 0, top - (row - 1) / (ROWS - 1) * all.width * man.size, man:at("hips")[3] + .012 * man.size }
    rows[row] = { middle = middle, outline = tailor.outline(man, shapes, middle, .003 * man.size) }
  end
  local function at(row, angle, out)
    return vector.add(rows[row].middle,
      vector.scale({ math.sin(angle), 0, math.cos(angle) }, rows[row].outline(angle) + out * man.size))
  end
  local belt, buckle = new_cage(.003), new_cage(.004)
  local ids = belt:points(ROWS, AROUND, function(row, column)
    return at(row, (column - .5) / AROUND * 2 * math.pi, 0), weights(row)
  end)
  for _, row in ipairs(ids) do row[#row + 1] = row[1] end
  belt:grid(ids)
  local front = at(2, 0, .004)
  buckle:grid(buckle:points(3, 3, function(row, column)
    return vector.add(front, vector.scale({ (column - 2) * BUCKLE[1], (2 - row) * BUCKLE[2], 0 }, man.size)), weights(2)
  end))
  local look = { color = all.color, roughness = .45, pattern = "grain" }
  return belt:mesh(all.name, look, { sides = "outer", levels = 1 }),
    buckle:mesh(all.name .. "_buckle", METAL, { sides = "outer", levels = 1 })
end
