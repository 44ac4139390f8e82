-- Eyes for the head of rigs/body_human.lua, whose sockets are empty, brows above them, and lips: a list of meshes.

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
local HAIR = { color = { .13, .085, .06 }, roughness = .9, pattern = "smooth" }
local SKIN = { .80, .60, .50 }
-- The lips' red: m from the head's joint, half as wide, up and down from there, at size 1; how much redder than skin.
local LIPS = { middle = { 0, .0128 }, width = .0250, up = .0106, down = .0122,
               tint = { .90, .76, .74 } }

-- How high the middle of a brow is, and half its height, which is below 0 beyond its ends. x: to the side of the eye's
-- middle, away from the nose; m at size 1.
local function brow_at(x)
  local first, last = BROW[1], BROW[#BROW]
  if x <= first[1] then return first[2], first[3] - (first[1] - x) end
  for i = 2, #BROW do
    local from, to = BROW[i - 1], BROW[i]
    local share = (x - from[1]) / (to[1] - from[1])
    if share <= 1 then return from[2] + share * (to[2] - from[2]), from[3] + share * (to[3] - from[3]) end
  end
  return last[2], last[3] - .5 * (x - last[1])
end

-- Cut out of the skin above both eyes: first along their lower edges, then along their upper ones, since a brow is
-- narrower than the skin's triangles.
local function brows(man, skin, color, eyes)
  local head, size = (man:at "head"), man.size
  local middle_x, middle_y, front = (eyes[1][1] + eyes[2][1]) / 2, (eyes[1][2] + eyes[2][2]) / 2, head[3]
  local apart = (eyes[1][1] - eyes[2][1]) / 2 / size
  local function within(sign) -- of the edge at that side
    return function(place)
      local y = (place[2] - middle_y) / size
      if place[3] < front or math.abs(y) > .05 then return -.05 end
      local middle, half = brow_at(math.abs(place[1] - middle_x) / size - apart)
      return (half + sign * (middle - y)) * size
    end
  end
  return skin:part { name = "brows", out = 0, within = within(-1) }:part {
    name = "brows", out = .0006 * size, within = within(1),
    material = { color = color or HAIR.color, roughness = HAIR.roughness, pattern = HAIR.pattern },
  }
end

local function lips(man, skin, color, face)
  local head, size = (man:at "head"), man.size
  local function at(x, y)
    local place = vector.add(head, { x * size, y * size, .107 * size })
    return face and face(place) or place
  end
  local middle, corner = at(0, LIPS.middle[2]), at(LIPS.width, LIPS.middle[2])
  local top, bottom = at(0, LIPS.middle[2] + LIPS.up), at(0, LIPS.middle[2] - LIPS.down)
  local width, up, down = corner[1] - middle[1], top[2] - middle[2], middle[2] - bottom[2]
  local red = {}
  for i = 1, 3 do red[i] = color[i] * LIPS.tint[i] end
  return skin:part {
    name = "lips", out = .0002 * size, material = { color = red, roughness = .45 },
    within = function(place)
      local x, y = math.abs(place[1] - middle[1]) / width, place[2] - middle[2]
      if place[3] < head[3] + .06 * size or x > 1.3 then return -.05 end
      local round = math.max(0, 1 - x * x)
      local bow = 1 - .14 * math.exp(-(x / .14) ^ 2)
      local edge = y > 0 and up * round * bow - y or down * round ^ .7 + y
      return math.min(edge, (1 - x) * width)
    end,
  }
end

-- skin: the body's mesh. looks: face, a function of rigs/face.lua that it was reshaped by; color, of the skin; hair, of
-- the brows.
return function(man, skin, looks)
  local face, centers = looks.face, {}
  for i, side in ipairs { 1, -1 } do
    centers[i] = vector.add((man:at "head"), vector.scale(vector.add(PLACE, { side * APART, 0, 0 }), man.size))
    if face then
      local moved = face(centers[i]) -- but not down with the lids
      centers[i] = { moved[1], centers[i][2], moved[3] }
    end
  end
  local meshes, weights = { brows(man, skin, looks.hair, centers) }, { [man.bone.head] = 1 }
  meshes[2] = lips(man, skin, looks.color or SKIN, face)
  for _, part in ipairs(PARTS) do
    local cage = new_cage(0)
    for _, center in ipairs(centers) do
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
