-- Shoes: skinned to feet and toes. Uppers and soles.
--
--   meshes = { shoes {}, … }                       -- of a character
--   shoes { body = boxer, color = { .3, .2, .1 } }

local read_options = require "rigs.options"
local new_cage = require "garments.cage"
local vector = require "rigs.vector"

local own = { -- { key, default, from, to, unit }
  "body", { "name", "shoes" }, { "color", { .13, .085, .06 } }, { "roughness", .35, 0, 1 }, { "pattern", "grain" },
  { "sole", .021, .006, .04, "m" },   -- how thick; below .015 without a heel
}
local SOLE = { foot = .057, toes = .03 } -- m from a joint down to the ground, at size 1
local HEEL = -.052     -- m from the joint back
-- From the heel: how far, half the width, how high; m at size 1. Its ends are closed.
local ROWS = {
  { -.001, .0002, .030 }, { .001, .014, .050 }, { .007, .027, .078 }, { .026, .034, .094 }, { .054, .037, .102 },
  { .084, .039, .092 }, { .114, .042, .072 }, { .150, .046, .056 }, { .190, .0475, .047 }, { .222, .045, .042 },
  { .246, .036, .036 }, { .259, .020, .027 }, { .263, .008, .019 }, { .2635, .0002, .016 },
}
local ACROSS = 9

local function weights_at(man, side, along)
  local toes = math.max(0, math.min(1, (along - .15) / .06))
  return { [man.bone[side .. "_foot"]] = 1 - toes, [man.bone[side .. "_toes"] or man.bone[side .. "_foot"]] = toes }
end

local function shoe(cage, man, side, thick)
  local size, ankle = man.size, (man:at(side .. "_foot"))
  local way = man.bone[side .. "_toes"] and man:way(side .. "_foot", side .. "_toes") or { 0, 0, 1 }
  way = vector.scale({ way[1], 0, way[3] }, 1 / math.sqrt(way[1] ^ 2 + way[3] ^ 2))
  local across = { way[3], 0, -way[1] }
  local toes = man.bone[side .. "_toes"] and man:at(side .. "_toes")
  local ground = toes and toes[2] - SOLE.toes * size or ankle[2] - SOLE.foot * size
  local function at(along, aside, up)
    local flat = vector.add(vector.scale(way, (along + HEEL) * size), vector.scale(across, aside * size))
    return { ankle[1] + flat[1], ground + up * size, ankle[3] + flat[3] }
  end
  local ids = cage:points(#ROWS, ACROSS, function(row, column)
    local along, width, height = table.unpack(ROWS[row])
    local angle = (column - 1) / (ACROSS - 1) * math.pi
    local up = math.sin(angle) ^ .8
    local aside = -math.cos(angle) * width * (1 - .12 * up)
    return at(along, aside, thick * 2 / 3 + (height - thick * 2 / 3) * up), weights_at(man, side, along)
  end)
  cage:cut_grid(ids, { 5, 8, 11 }, { 3, 5, 7 })
  local count = 6
  local sole = cage:points(#ROWS, count + 1, function(row, column)
    local along, width = table.unpack(ROWS[row])
    along = .1315 + (along - .1315) * 1.02
    local form = ({ { -1, 1 }, { 1, 1 }, { 1.03, .5 }, { 1, 0 }, { -1, 0 }, { -1.03, .5 }, { -1, 1 } })[column]
    local heel = along < .07 and 0 or along < .085 and .004 or .006 -- the waist of the sole stands off the ground
    if along > .12 then heel = math.max(0, (along - .2) * .12) end
    if thick < .015 then heel = 0 end
    local aside = form[1] * math.min(width + .0012, 6 * width)
    return at(along, aside, heel + form[2] * (thick - heel)), weights_at(man, side, along)
  end)
  cage:cut_grid(sole, { 3, 11 }, { 2, 4, 5 })
end

return function(options)
  local all = read_options(options, own)
  local man = all.body or require "rigs.human"
  local cage = new_cage(.0025, .05)
  shoe(cage, man, "left", all.sole)
  shoe(cage, man, "right", all.sole)
  local look = { color = all.color, roughness = all.roughness, pattern = all.pattern }
  return cage:mesh(all.name, look, { sides = "outer", levels = 1 })
end
