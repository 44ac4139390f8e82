-- Shoes: skinned to feet and toes. Returns two meshes, uppers and soles.
--
--   meshes = { …, shoes {} }                       -- of a character
--   shoes { body = boxer, color = { .3, .2, .1 } }

local read_options = require "rigs.options"
local new_cage = require "garments.cage"
local vector = require "rigs.vector"

local own = { -- { key, default, from, to, unit }
  "body", { "name", "shoes" }, { "color", { .13, .085, .06 } }, { "roughness", .52, 0, 1 }, { "pattern", "smooth" },
  { "sole_color", { .045, .038, .034 } },
  { "sole", .021, .006, .04, "m" },   -- how thick; below .015 without a heel
}
local SOLE = { foot = .057, toes = .03 } -- m from a joint down to the ground, at size 1
local HEEL = -.052     -- m from the joint back
-- From the heel: how far, half the width, how high; m at size 1. Its ends are closed, and round as seen from above.
local ROWS = {
  { -.001, .0003, .050 }, { .0005, .0130, .064 }, { .004, .0225, .078 }, { .010, .0290, .088 }, { .020, .0332, .094 },
  { .032, .0356, .098 }, { .054, .037, .102 }, { .084, .039, .092 }, { .114, .042, .072 }, { .150, .046, .056 },
  { .190, .0475, .047 }, { .222, .0445, .041 }, { .243, .0360, .036 }, { .255, .0255, .030 }, { .2615, .0145, .024 },
  { .2645, .0070, .019 }, { .2655, .0003, .016 },
}
local ACROSS = 9
-- Round a sole, from its upper left edge: shares of half the width and of the thickness.
local SOLE_FORM = {
  { -1, 1 }, { -.85, 1 }, { .85, 1 }, { 1, 1 }, { 1, .85 }, { 1, .15 }, { 1, 0 }, { .85, 0 }, { -.85, 0 }, { -1, 0 },
  { -1, .15 }, { -1, .85 }, { -1, 1 },
}
local WELT, HEEL_WELT = .0016, .0006 -- m by which soles are wider than uppers; there

local function weights_at(man, side, along)
  local toes = math.max(0, math.min(1, (along - .15) / .06))
  return { [man.bone[side .. "_foot"]] = 1 - toes, [man.bone[side .. "_toes"] or man.bone[side .. "_foot"]] = toes }
end

-- A function of a place along a foot from the heel, aside and up from the ground, m at size 1.
local function placer(man, side)
  local size, ankle = man.size, (man:at(side .. "_foot"))
  local way = man.bone[side .. "_toes"] and man:way(side .. "_foot", side .. "_toes") or { 0, 0, 1 }
  way = vector.scale({ way[1], 0, way[3] }, 1 / math.sqrt(way[1] ^ 2 + way[3] ^ 2))
  local across = { way[3], 0, -way[1] }
  local toes = man.bone[side .. "_toes"] and man:at(side .. "_toes")
  local ground = toes and toes[2] - SOLE.toes * size or ankle[2] - SOLE.foot * size
  return function(along, aside, up)
    local flat = vector.add(vector.scale(way, (along + HEEL) * size), vector.scale(across, aside * size))
    return { ankle[1] + flat[1], ground + up * size, ankle[3] + flat[3] }
  end
end

local function add_upper(cage, man, side, thick)
  local at = placer(man, side)
  local ids = cage:points(#ROWS, ACROSS, function(row, column)
    local along, width, height = table.unpack(ROWS[row])
    local angle = (column - 1) / (ACROSS - 1) * math.pi
    local up = math.sin(angle) ^ .8
    local aside = -math.cos(angle) * width * (1 - .12 * up)
    local is_end = row == 1 or row == #ROWS
    if is_end and column > (ACROSS + 1) / 2 then return end -- both sides share the points of its ends
    return at(along, is_end and 0 or aside, thick * 2 / 3 + (height - thick * 2 / 3) * up), weights_at(man, side, along)
  end)
  for _, row in ipairs { 1, #ROWS } do
    for column = 1, (ACROSS - 1) / 2 do ids[row][ACROSS + 1 - column] = ids[row][column] end
  end
  cage:cut_grid(ids, { 7, 10, 13 }, { 3, 5, 7 })
end

-- How high the underside of a sole is: the waist before the heel stands off the ground, and so do the toes' tips.
local function underside(along, thick)
  if thick < .015 then return 0 end
  return .009 * vector.smoothstep(.066, .074, along) * (1 - vector.smoothstep(.10, .17, along))
    + .006 * vector.smoothstep(.20, .27, along)
end

-- Closes an end of a sole with a grid whose border is the ring there: seen from outside, from its first column at the
-- upper left; `mirrored` where the ring's first column is at the upper right.
local function close_end(cage, ring, make, mirrored)
  local function inner(aside, up) return cage:point(make(aside, up)) end
  cage:grid({
    { ring[1], ring[2], ring[3], ring[4] },
    { ring[12], inner(-.85, .85), inner(.85, .85), ring[5] },
    { ring[11], inner(-.85, .15), inner(.85, .15), ring[6] },
    { ring[10], ring[9], ring[8], ring[7] },
  }, mirrored)
end

local function add_sole(cage, man, side, thick)
  local at = placer(man, side)
  local function point(row, aside, up)
    local along, width = table.unpack(ROWS[row])
    local low, welt = underside(along, thick), HEEL_WELT + (WELT - HEEL_WELT) * vector.smoothstep(.06, .11, along)
    local longer = WELT * vector.smoothstep(.15, .26, along) - HEEL_WELT * (1 - vector.smoothstep(0, .06, along))
    if row == 1 or row == #ROWS then up = .5 + .9 * (up - .5) end -- as far as subdivision rounds the other rows
    return at(along + longer, aside * math.min(width + welt, 5 * width), low + up * (thick - low)),
      weights_at(man, side, along)
  end
  local ids = cage:points(#ROWS, #SOLE_FORM - 1, function(row, column)
    return point(row, table.unpack(SOLE_FORM[column]))
  end)
  for _, ring in ipairs(ids) do ring[#SOLE_FORM] = ring[1] end
  cage:cut_grid(ids, { 4, 14 }, { 4, 7, 10 })
  for _, row in ipairs { 1, #ROWS } do
    close_end(cage, ids[row], function(aside, up) return point(row, aside, up) end, row == 1)
  end
end

return function(options)
  local all = read_options(options, own)
  local man = all.body or require "rigs.human"
  local uppers, soles = new_cage(.0025, .05), new_cage(.0025, .05)
  for _, side in ipairs { "left", "right" } do
    add_upper(uppers, man, side, all.sole)
    add_sole(soles, man, side, all.sole)
  end
  local look = { color = all.color, roughness = all.roughness, pattern = all.pattern }
  local sole_look = { color = all.sole_color, roughness = .9, pattern = "smooth" }
  return uppers:mesh(all.name, look, { sides = "outer", levels = 1 }),
    soles:mesh(all.name .. "_soles", sole_look, { sides = "outer", levels = 1 })
end
