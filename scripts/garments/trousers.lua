-- Trousers: skinned, not simulated. They lie in the outermost of the flesh down to the middle of the thighs, so that a
-- coat which collides with the flesh stays outside of them, and hang straight below the knees.
--
--   meshes = { trousers {}, … }                    -- of a character
--   trousers { body = boxer, color = { .1, .1, .15 } }
--
-- A ring round the hips parts into two at the crotch.

local read_options = require "rigs.options"
local tailor = require "garments.tailor"
local new_cage = require "garments.cage"
local vector = require "rigs.vector"

local own = { -- { key, default, from, to, unit }
  "body", { "name", "trousers" }, { "color", { .17, .17, .19 } }, { "pattern", "twill" },
  { "top", .16, 0, .3, "m" },         -- from the hip joints up to the waistband
}
local AROUND = 16                     -- points round the hips: 0 in front, then over the left
local CROTCH = -.085                  -- m from the hip joints at size 1
local HIP_ROWS = 7
local INSIDE = .004                   -- m below the flesh's surface at size 1
local HIPS = { .154, .107 }           -- half the width and depth at most: the flesh is rounder than a man in trousers
local LEG = { -- levels, from the hips down; half widths in m at size 1; shares of hips, thigh and shin
  { -.30, .0750, .05, .95, 0 }, { -.48, .0780, 0, 1, 0 }, { -.70, .0770, 0, 1, 0 }, { -.86, .0755, 0, .88, .12 },
  { -1.0, .0720, 0, .5, .5 }, { -1.14, .0700, 0, .1, .9 }, { -1.35, .0690, 0, 0, 1 }, { -1.6, .0685, 0, 0, 1 },
  { -1.83, .0690, 0, 0, 1 }, { -2.05, .0710, 0, 0, 1 },
}

local function hips(cage, man, all)
  local shapes = tailor.shapes(man, { "pelvis", "abdomen", "thigh_left", "thigh_right" })
  local joints, widest = man:level(0), tailor.ellipse(HIPS[1] * man.size, HIPS[2] * man.size)
  local top, bottom = joints + all.top * man.size, joints + CROTCH * man.size
  local ids = {}
  for row = 1, HIP_ROWS do
    local down = (row - 1) / (HIP_ROWS - 1)
    local middle = { 0, top + (bottom - top) * down, man:at("hips")[3] + .012 * man.size }
    local outline = tailor.outline(man, shapes, middle, -INSIDE * man.size)
    ids[row] = {}
    for i = 0, AROUND - 1 do
      local angle = i / AROUND * 2 * math.pi
      local position = vector.add(middle, vector.scale({ math.sin(angle), 0, math.cos(angle) },
        math.min(outline(angle), widest(angle))))
      local side = (i == 0 or i == AROUND / 2) and 0 or i < AROUND / 2 and 1 or -1
      local spine, thigh = math.max(0, .6 - 2 * down), side ~= 0 and math.max(0, (down - .4) * 1.1) or 0
      local weights = { [man.bone.hips] = 1 - spine - thigh }
      if spine > 0 then weights[man.bone.spines[1]] = spine end
      if thigh > 0 then weights[man.bone[(side > 0 and "left" or "right") .. "_upper_leg"]] = thigh end
      ids[row][i + 1] = cage:point(position, weights)
    end
  end
  return ids
end

-- Ten points round a leg: from the middle in front over the outside to the middle behind, and the crotch.
local function leg(cage, man, ring, crotch, side)
  local sign = side == "left" and 1 or -1
  local rings, count = { {} }, AROUND // 2 + 2
  for i = 0, AROUND // 2 do rings[1][i + 1] = ring[sign > 0 and i + 1 or (AROUND - i) % AROUND + 1] end
  rings[1][count] = crotch
  local hip, knee, ankle = man:at(side .. "_upper_leg"), (man:at(side .. "_lower_leg")), (man:at(side .. "_foot"))
  for k, row in ipairs(LEG) do
    local level, radius = row[1], row[2] * man.size
    local above = level > -1
    local center = vector.mix(above and hip or knee, above and knee or ankle, above and -level or -1 - level)
    local weights = {}
    for share, role in pairs { [3] = "hips", [4] = side .. "_upper_leg", [5] = side .. "_lower_leg" } do
      if row[share] > 0 then weights[man.bone[role]] = row[share] end
    end
    rings[k + 1] = {}
    for i = 1, count do
      local angle = i % count / count * 2 * math.pi -- from inside over the front
      local crease = .006 * man.size * math.max(0, math.cos(2 * (angle - math.pi / 2))) ^ 6 * math.min(1, -level)
      local out = radius + crease
      rings[k + 1][i] = cage:point({ center[1] - sign * out * math.cos(angle), center[2],
                                     center[3] + out * math.sin(angle) }, weights)
    end
  end
  local panel = {} -- cut along the inside
  for k, points in ipairs(rings) do
    panel[k] = {}
    for i = 0, count do panel[k][i + 1] = points[(i + count - 1) % count + 1] end
  end
  cage:grid(panel, sign < 0)
end

return function(options)
  local all = read_options(options, own)
  local man = all.body or require "rigs.human"
  local cage = new_cage(.0025, .2) -- through the hips, so that skin that folds in the crotch is hidden
  local ids = hips(cage, man, all)
  local panels = { {}, {} }
  for row = 1, HIP_ROWS do
    panels[1][row], panels[2][row] = { table.unpack(ids[row], 1, AROUND // 2 + 1) }, {}
    for i = AROUND // 2, AROUND do panels[2][row][i - AROUND // 2 + 1] = ids[row][i % AROUND + 1] end
  end
  cage:grid(panels[1])
  cage:grid(panels[2])
  local last = ids[HIP_ROWS]
  local points = cage.data.points
  local crotch = vector.mix(points[last[1]], points[last[AROUND // 2 + 1]], .5)
  crotch[2] = crotch[2] - .05 * man.size
  crotch = cage:point(crotch, { [man.bone.hips] = .6, [man.bone.left_upper_leg] = .2, [man.bone.right_upper_leg] = .2 })
  leg(cage, man, last, crotch, "left")
  leg(cage, man, last, crotch, "right")
  return cage:mesh(all.name, { color = all.color, roughness = .9, pattern = all.pattern }, { sides = "outer" })
end
