local tweed = require "tweed"

local function points(rows, columns)
  local list = {}
  for row = 0, rows - 1 do
    for column = 0, columns - 1 do
      list[#list + 1] = { -column * .1, 1.3 - row * .1, -.3 }
    end
  end
  return list
end

return tweed.character {
  skeleton = tweed.skeleton {
    { name = "Hips", position = { 0, 1, 0 } },
    { name = "Head", parent = "Hips", position = { 0, .7, 0 } },
  },
  garments = {
    tweed.cloth {
      name = "cape", fabric = "silk", rows = 3, columns = 3, attach = "Hips", positions = points(3, 3),
      max_distance = { top = .4, bottom = .2 },
    },
    tweed.cloth {
      name = "shawl", fabric = "silk", rows = 3, columns = 3, attach = "Hips", positions = points(3, 3),
      max_distance = { 0, 0, 0, .2, .2, .2, .3, .1, .3 },
    },
    tweed.cloth {
      name = "veil", fabric = "veil", rows = 3, columns = 4, attach = "Hips", positions = points(3, 4),
      bones = { every = 2 },
    },
  },
}
