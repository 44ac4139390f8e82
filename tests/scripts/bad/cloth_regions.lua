-- Parts of garments that are no parts, of fabrics that are none.
local tweed = require "tweed"

local function cloth(name, regions, change)
  local points = {}
  for row = 0, 2 do for column = 0, 3 do points[#points + 1] = { .1 * column, 1 - .1 * row, 0 } end end
  local options = { name = name, fabric = "cotton", attach = "hips", rows = 3, columns = 4, positions = points,
                    regions = regions }
  for key, value in pairs(change or {}) do options[key] = value end
  return tweed.cloth(options)
end

local function painted(name, paint, general)
  return tweed.cloth { name = name, fabric = "cotton", attach = "hips", general = general,
                       mesh = tweed.import_mesh { file = "helpers/square.obj", paint = paint } }
end

return tweed.character {
  skeleton = tweed.skeleton { { name = "hips", position = { 0, 1, 0 } } },
  garments = {
    cloth("unknown", { { fabric = "lether" } }),
    cloth("beyond", { { fabric = "leather", rows = { 1, 3 } }, { fabric = "leather", columns = { 2, 1 } } }),
    cloth("one", { { fabric = "leather", rows = { 1 } }, { rows = { 0, 1 } } }),
    cloth("thick", { { thickness = .2 }, { thickness = "much" } }),
    painted("typo", function() return { fabric = "silc" } end),
    painted("cm", function() return { thickness = .5 } end),
    tweed.cloth { name = "general", fabric = "cotton", attach = "hips", general = true,
                  regions = { { fabric = "leather" } }, mesh = tweed.import_mesh "helpers/square.obj" },
  },
}
