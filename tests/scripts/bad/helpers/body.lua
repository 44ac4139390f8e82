-- A skeleton of four bones and a cape's points, for scripts that are wrong elsewhere.
local tweed = require "tweed"

local body = {}

function body.skeleton()
  return tweed.skeleton {
    { name = "Hips", position = { 0, 1, 0 } },
    { name = "Spine", parent = "Hips", position = { 0, .3, 0 } },
    { name = "LeftArm", parent = "Spine", position = { .2, .2, 0 } },
    { name = "RightArm", parent = "Spine", position = { -.2, .2, 0 } },
  }
end

-- rows * columns points, 10 cm apart, behind the back.
function body.points(rows, columns)
  local points = {}
  for row = 0, rows - 1 do
    for column = 0, columns - 1 do
      points[#points + 1] = { ((columns - 1) / 2 - column) * .1, 1.3 - row * .1, -.3 }
    end
  end
  return points
end

-- A cape, with what the caller wants otherwise.
function body.cape(options)
  local cape = {
    name = "cape", fabric = "tweed", rows = 3, columns = 3, attach = "Spine",
    positions = body.points(3, 3),
  }
  for key, value in pairs(options or {}) do
    cape[key] = value
  end
  return tweed.cloth(cape)
end

function body.fail()
  error("a helper fails")
end

return body
