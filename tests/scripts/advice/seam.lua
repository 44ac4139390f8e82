local tweed = require "tweed"

local points = {}
for row = 0, 3 do
  for column = 0, 4 do points[#points + 1] = { column * .1, -row * .1, 0 } end
end

return tweed.character {
  skeleton = tweed.skeleton { { name = "Hips" }, { name = "Foot", parent = "Hips", position = { 0, -1, 0 } } },
  garments = {
    tweed.cloth { name = "sheet", fabric = "silk", rows = 4, columns = 5, positions = points, attach = "Hips" },
  },
  seams = {
    tweed.seam { "sheet", column = 0, to = { "sheet", column = 4 } },
    tweed.seam { "sheet", name = "held", column = 2, to = { "sheet", column = 3 }, rows = { 0, 3 } },
    tweed.seam { "sheet", name = "low enough", column = 0, to = { "sheet", column = 4 }, rows = { 2, 3 } },
  },
}
