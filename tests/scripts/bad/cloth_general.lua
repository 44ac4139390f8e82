-- Cloth that is no grid, with what needs one.
local tweed = require "tweed"

local corners = { { 0, 1, 0 }, { .3, 1, 0 }, { .3, .7, 0 }, { 0, .7, 0 }, { .15, .85, .1 } }

local function cloth(name, change)
  local options = {
    name = name, fabric = "cotton", attach = "hips", general = true,
    mesh = tweed.mesh {
      name = name, positions = corners, weights = "hips",
      triangles = { { 1, 5, 2 }, { 2, 5, 3 }, { 3, 5, 4 }, { 4, 5, 1 } },
    },
  }
  for key, value in pairs(change or {}) do options[key] = value end
  return tweed.cloth(options)
end

local more = table.move({ { 1, 1, 0 }, { 1.2, 1, 0 }, { 1, .8, 0 }, { 60, 0, 0 } }, 1, 4, 6, table.move(corners, 1, 5, 1, {}))

-- Without general.
local function automatic(name, triangles, change)
  local used, points, of = {}, {}, {}
  for i, triangle in ipairs(triangles) do
    used[i] = {}
    for k, corner in ipairs(triangle) do
      if not of[corner] then points[#points + 1] = more[corner]; of[corner] = #points end
      used[i][k] = of[corner]
    end
  end
  local options = {
    name = name, fabric = "cotton", attach = "hips",
    mesh = tweed.mesh { name = name, positions = points, triangles = used, weights = "hips" },
  }
  for key, value in pairs(change or {}) do options[key] = value end
  return tweed.cloth(options)
end

return tweed.character {
  skeleton = tweed.skeleton { { name = "hips", position = { 0, 1, 0 } } },
  garments = {
    tweed.cloth {
      name = "bare", fabric = "cotton", attach = "hips", rows = 2, columns = 2, general = true,
      positions = { { 0, 1, 0 }, { .3, 1, 0 }, { 0, .7, 0 }, { .3, .7, 0 } },
    },
    cloth("rows", { rows = 3, self_collision = .01 }),
    cloth("columns", { attach = { { hips = 1 } }, hard = "article" }),
    cloth("bones", { bones = { every = 2 } }),
    tweed.cloth {
      name = "grid", fabric = "cotton", attach = "hips", rows = 2, columns = 2, bones = { count = 3 },
      positions = { { 0, 1, 0 }, { .3, 1, 0 }, { 0, .7, 0 }, { .3, .7, 0 } },
    },
    cloth("tent", {
      mesh = tweed.mesh {
        name = "tent", positions = corners, weights = "hips",
        triangles = { { 1, 5, 2 }, { 2, 5, 3 }, { 3, 5, 4 }, { 4, 5, 1 }, { 1, 2, 3 }, { 1, 3, 4 } },
      },
    }),
    cloth("kite"),
    cloth("far", { max_distance = { .1, .2 }, backstop = .1 }),
    automatic("striped", { { 1, 5, 2 }, { 3, 4, 5 } }, { bones = { every = 2 } }),
    automatic("apart", { { 1, 5, 2 }, { 6, 7, 8 } }),
    automatic("book", { { 1, 5, 2 }, { 1, 5, 3 }, { 1, 5, 4 } }),
    automatic("huge", { { 1, 5, 2 }, { 2, 5, 9 } }),
    automatic("closed", { { 1, 5, 2 }, { 2, 5, 3 }, { 3, 5, 1 }, { 1, 2, 3 } }),
  },
  seams = { tweed.seam { "kite", column = 0, to = { "kite", column = 2 } } },
}
