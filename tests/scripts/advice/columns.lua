-- Large grids, most of whose columns cannot be divided evenly.
local tweed = require "tweed"

local function net(name, rows, columns, more)
  local points = {}
  for row = 0, rows - 1 do
    for column = 0, columns - 1 do points[#points + 1] = { -column * .03, 1.1 - row * .03, -.1 } end
  end
  local garment = {
    name = name, fabric = "cotton", solver = "mass_spring", rows = rows, columns = columns, positions = points,
    attach = "Hips",
  }
  for key, value in pairs(more or {}) do garment[key] = value end
  return tweed.cloth(garment)
end

return tweed.character {
  skeleton = tweed.skeleton {
    { name = "Hips", position = { 0, 1, 0 } }, { name = "Head", parent = "Hips", position = { 0, .6, 0 } },
  },
  garments = {
    net("between", 12, 100),
    net("too narrow for fewer", 32, 40),
    net("too wide for more", 12, 127),
    net("verlet", 64, 65, { solver = "verlet" }),
    net("even", 12, 96),
    net("small", 8, 50),
    net("small for verlet", 12, 100, { solver = "verlet" }),
    net("sewn", 12, 100),
    net("kept apart", 12, 100, { self_collision = .005 }),
  },
  seams = { tweed.seam { "sewn", column = 0, to = { "sewn", column = 2 }, closed = false } },
}
