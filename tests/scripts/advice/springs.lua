local tweed = require "tweed"

local points = {}
for row = 0, 3 do
  for column = 0, 3 do points[#points + 1] = { -column * .005, 1.1 - row * .005, -.1 } end
end

return tweed.character {
  skeleton = tweed.skeleton {
    { name = "Hips", position = { 0, 1, 0 } }, { name = "Head", parent = "Hips", position = { 0, .6, 0 } },
  },
  garments = {
    tweed.cloth {
      name = "patch", fabric = "leather", solver = "mass_spring",
      rows = 4, columns = 4, positions = points, attach = "Hips",
    },
  },
}
