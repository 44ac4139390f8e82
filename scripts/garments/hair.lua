-- Short hair: a cap on the head, combed back from a side parting. Or hair that is drawn back into a bun.
--
--   meshes = { hair {}, … }                        -- of a character
--   hair { body = boxer, color = { .5, .4, .2 } }
--   hair { bun = true }

local read_options = require "rigs.options"
local new_cage = require "garments.cage"
local vector = require "rigs.vector"

local own = { "body", { "name", "hair" }, { "color", { .16, .11, .075 } }, { "bun", false } }
local COUNT = 13                                   -- rows and columns of a square that is drawn over the skull
local CENTER = { -.002, .088, .008 }               -- of the skull, m from the head's joint at size 1
local SKULL = { .0670, .0925, .0960 }              -- its half axes
local BUN = { center = { -.002, .125, -.098 }, radius = .036 } -- m from the head's joint

-- How far down the hair grows: the angle from the crown, by the angle from the front over the left.
local function hairline(angle)
  local front, side = math.cos(angle), math.abs(math.sin(angle))
  if front > 0 then return math.rad(50 + 34 * side ^ 2 + 18 * side ^ 10) end -- temples and sideburns
  return math.rad(102 + 22 * front ^ 2)
end

local function add_bun(cage, man, weights)
  local center = vector.add((man:at "head"), vector.scale(BUN.center, man.size))
  local back = { 0, .35, -.937 } -- the way that it stands out
  cage:grid(cage:points(COUNT, COUNT, function(row, column)
    local x, y = 2 * (column - 1) / (COUNT - 1) - 1, 1 - 2 * (row - 1) / (COUNT - 1)
    local u, v = x * math.sqrt(1 - y * y / 2), y * math.sqrt(1 - x * x / 2)
    local angle, around = 2.4 * math.sqrt(u * u + v * v), math.atan(v, u) -- from its middle behind
    local locks = 1 + .05 * math.sin(3 * around + 6 * angle)              -- wound round
    local up = { 0, -back[3], back[2] }
    local way = vector.add(vector.scale(back, .8 * math.cos(angle)),
      vector.add({ -math.sin(angle) * math.cos(around), 0, 0 }, vector.scale(up, math.sin(angle) * math.sin(around))))
    return vector.add(center, vector.scale(way, BUN.radius * locks * man.size)), weights
  end))
end

return function(options)
  local all = read_options(options, own)
  local man = all.body or require "rigs.human"
  local center = vector.add((man:at "head"), vector.scale(CENTER, man.size))
  local cage = new_cage(.004)
  local weights = { [man.bone.head] = 1 }
  cage:grid(cage:points(COUNT, COUNT, function(row, column)
    local x, y = 2 * (column - 1) / (COUNT - 1) - 1, 2 * (row - 1) / (COUNT - 1) - 1
    local u, v = x * math.sqrt(1 - y * y / 2), y * math.sqrt(1 - x * x / 2) -- a square made a disc; v to the front
    local radius, angle = math.sqrt(u * u + v * v), math.atan(u, v)
    local down = radius * hairline(angle)
    local way = { math.sin(down) * math.sin(angle), math.cos(down), math.sin(down) * math.cos(angle) }
    local edge = math.max(0, 1 - radius) ^ .5
    local quiff = math.exp(-((v - .75) / .3) ^ 2 - (u / .5) ^ 2) * .008
    local parting = -.005 * math.exp(-((u - .33) / .07) ^ 2) * (v > -.4 and 1 or 0)
    local locks = .0022 * math.sin(11 * u + 3 * v + 2 * math.sin(5 * v)) * edge
    local out = .0135 * edge - .003 + quiff + parting * edge + locks
    return { center[1] + way[1] * (SKULL[1] + out) * man.size, center[2] + way[2] * (SKULL[2] + out) * man.size,
             center[3] + way[3] * (SKULL[3] + out) * man.size }, weights
  end))
  if all.bun then add_bun(cage, man, weights) end
  return cage:mesh(all.name, { color = all.color, roughness = .6, pattern = "fur" }, { sides = "outer" })
end
