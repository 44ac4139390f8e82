-- Eyes for the head of rigs/body_human.lua, whose sockets are empty: a list of two meshes, the whites and the irises.

local new_cage = require "garments.cage"
local vector = require "rigs.vector"

local PLACE = { .0014, .0735, .0797 } -- of the middle between them, m from the head's joint at size 1
local APART, RADIUS = .0285, .0125    -- m from there to either side
local PARTS = { -- how far round the eye from its middle in front, degrees; m above the white
  { name = "eyes", round = 75, above = 0,
    material = { color = { .85, .83, .80 }, roughness = .25, pattern = "smooth" } },
  { name = "irises", round = 27, above = .0003,
    material = { color = { .13, .085, .05 }, roughness = .15, pattern = "smooth" } },
}
local COUNT = 5 -- rows and columns of a square that is made a cap

return function(man)
  local meshes, weights = {}, { [man.bone.head] = 1 }
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
