local tweed = require "tweed"

-- Points of 6 rows of 7 columns.
local function points(place)
  local list = {}
  for i = 0, 41 do
    local x, z = place(i % 7)
    list[i + 1] = { x, 1.45 - i // 7 * .1, z }
  end
  return list
end
local function flat(step, z)
  return function(column) return step * (column - 3), z end
end
local function arc(direction)
  return function(column)
    local angle = direction * 2.6 * (column / 6 - .5)
    return -.2 * math.sin(angle), -.2 * math.cos(angle)
  end
end
local function sheet(name, place, rows)
  return tweed.cloth {
    name = name, fabric = "silk", attach = "chest", rows = rows or 6, columns = 42 // (rows or 6),
    positions = points(place),
  }
end

return tweed.character {
  skeleton = tweed.skeleton {
    { name = "hips", position = { 0, 1, 0 } },
    { name = "chest", parent = "hips", position = { 0, .4, 0 } },
  },
  garments = {
    sheet("cape", flat(.05, -.15)),
    sheet("apron", flat(-.05, .15)),
    sheet("shawl", arc(-1)),
    sheet("swapped", flat(-.05, -.15), 7),
    -- None of these has a fault.
    sheet("good cape", flat(-.05, -.15)),
    sheet("good apron", flat(.05, .15)),
    sheet("good shawl", arc(1)),
    sheet("flag", function(column) return .1 * (column + 1), 0 end),
  },
}
