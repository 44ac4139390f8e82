-- Eyes for the head of rigs/body_human.lua, whose sockets are empty, and the brows above them: a list of meshes.

local new_cage = require "garments.cage"
local vector = require "rigs.vector"

local PLACE = { .0014, .0735, .0797 } -- of the middle between them, m from the head's joint at size 1
local APART, RADIUS = .0285, .0125    -- m from there to either side
local PARTS = { -- how far round the eye from its middle in front, degrees; m above the white
  { name = "eyes", round = 75, above = 0,
    material = { color = { .85, .83, .80 }, roughness = .25, pattern = "smooth" } },
  { name = "irises", round = 24, above = .0003,
    material = { color = { .23, .14, .08 }, roughness = .15, pattern = "smooth" } },
  { name = "pupils", round = 10, above = .0006,
    material = { color = { .012, .010, .010 }, roughness = .08, pattern = "smooth" } },
}
local COUNT = 5 -- rows and columns of a square that is made a cap
-- A brow from the nose outward: m to the side of the eye's middle, above it, and half as high as the brow there.
local BROW = { { -.017, .0165, .0022 }, { -.004, .0200, .0026 }, { .010, .0205, .0022 }, { .024, .0155, .0008 } }
local HAIR = { color = { .13, .085, .06 }, roughness = .7, pattern = "fur" }

-- How far inside a brow a place is; x: to the side of the eye's middle, away from the nose, y: above it; m at size 1.
local function inside_brow(x, y)
  local deepest = -math.huge
  for i = 2, #BROW do
    local from, to = BROW[i - 1], BROW[i]
    local way_x, way_y = to[1] - from[1], to[2] - from[2]
    local share = ((x - from[1]) * way_x + (y - from[2]) * way_y) / (way_x * way_x + way_y * way_y)
    share = math.max(0, math.min(1, share))
    local off_x, off_y = x - from[1] - share * way_x, y - from[2] - share * way_y
    local half = from[3] + share * (to[3] - from[3])
    deepest = math.max(deepest, half - math.sqrt(off_x * off_x + off_y * off_y))
  end
  return deepest
end

-- Cut out of the skin above both eyes.
local function brows(man, skin)
  local head, size = (man:at "head"), man.size
  local middle_x, middle_y, front = head[1] + PLACE[1] * size, head[2] + PLACE[2] * size, head[3]
  return skin:part {
    name = "brows", out = .0006 * size, material = HAIR,
    within = function(place)
      local x, y = math.abs(place[1] - middle_x) / size - APART, (place[2] - middle_y) / size
      if place[3] < front or math.abs(y) > .05 then return -.05 end
      return inside_brow(x, y) * size
    end,
  }
end

-- skin: the body's mesh.
return function(man, skin)
  local meshes, weights = { brows(man, skin) }, { [man.bone.head] = 1 }
  for _, part in ipairs(PARTS) do
    local cage = new_cage(0)
    for _, side in ipairs { 1, -1 } do
      local center = vector.add((man:at "head"), vector.scale(vector.add(PLACE, { side * APART, 0, 0 }), man.size))
      cage:grid(cage:points(COUNT, COUNT, function(row, column)
        local x, y = 2 * (column - 1) / (COUNT - 1) - 1, 1 - 2 * (row - 1) / (COUNT - 1)
        local u, v = x * math.sqrt(1 - y * y / 2), y * math.sqrt(1 - x * x / 2)
        local angle, around = math.sqrt(u * u + v * v) * math.rad(part.round), math.atan(v, u)
        local radius = (RADIUS + part.above) * man.size
        return vector.add(center, vector.scale({ math.sin(angle) * math.cos(around), math.sin(angle) * math.sin(around),
                                                 math.cos(angle) }, radius)), weights
      end))
    end
    meshes[#meshes + 1] = cage:mesh(part.name, part.material)
  end
  return meshes
end
