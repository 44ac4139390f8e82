-- Trousers: skinned, not simulated. They lie in the outermost of the flesh down to the middle of the thighs, so that a
-- coat which collides with the flesh and the seat (`clothed` of rigs/humanoid.lua) stays outside of them, and hang
-- straight below the knees.
--
--   meshes = { trousers {}, … }                    -- of a character
--   trousers { body = boxer, color = { .1, .1, .15 } }
--
-- A ring round the hips parts into two at the crotch. Each side is cut as a front and a back from the waistband to the
-- hem, which meet at the inside and the outside of the leg.

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
local HIP_ROWS, OUTSIDE = 7, 6        -- the column of a side's panels where front and back meet
local SEAT, TAPER = 3, .9             -- the row where the seat is fullest; how far it tapers to the legs below
local FORK = { .030, .74 }            -- where the legs part in the middle: m lower, at size 1; the share as far out
local INSIDE = .004                   -- m below the flesh's surface at size 1
local HIPS = { .154, .107 }           -- half the width and depth at most: the flesh is rounder than a man in trousers
-- Levels, from the hips down; half widths in m at size 1; whether the hips carry it, too; shares of thigh and shin.
local LEG = {
  { -.30, .0750, 1, 1, 0 }, { -.48, .0780, 1, 1, 0 }, { -.70, .0770, 1, 1, 0 }, { -.86, .0755, 0, .88, .12 },
  { -1.0, .0720, 0, .5, .5 }, { -1.14, .0700, 0, .1, .9 }, { -1.35, .0690, 0, 0, 1 }, { -1.6, .0685, 0, 0, 1 },
  { -1.80, .0690, 0, 0, 1 }, { -1.99, .0715, 0, 0, 1 },
}

-- How far a point is carried by the thigh: it begins above the hip joint and ends below, later behind than in front,
-- where the cloth stretches over the seat when the thigh is raised. `front`: 1 in front, -1 behind.
local function thigh_share(man, y, front)
  local back = (1 - front) / 2
  local top, bottom = .05 + .04 * back, -.13 - .07 * back
  local down = math.max(0, math.min(1, (top - (y - man:level(0)) / man.size) / (top - bottom)))
  return down * down * (3 - 2 * down)
end

-- How far behind the cloth is drawn in below the seat, towards the legs: a share of the way to these.
local function drawn_in(row, angle)
  local down = math.max(0, (row - SEAT) / (HIP_ROWS - SEAT))
  return TAPER * math.max(0, -math.cos(angle)) * down * down * (3 - 2 * down)
end

-- Fills hollows down the rows, as cloth does: each distance is at least on the line between one above and one below.
local function taut(heights, distances)
  local filled = {}
  for k, distance in ipairs(distances) do
    filled[k] = distance
    for i = 1, k - 1 do
      for j = k + 1, #distances do
        local share = (heights[i] - heights[k]) / (heights[i] - heights[j])
        filled[k] = math.max(filled[k], distances[i] + (distances[j] - distances[i]) * share)
      end
    end
  end
  return filled
end

local function hips(cage, man, all)
  local shapes = tailor.shapes(man, { "pelvis", "abdomen", "thigh_left", "thigh_right" })
  local joints, widest = man:level(0), tailor.ellipse(HIPS[1] * man.size, HIPS[2] * man.size)
  local top, bottom = joints + all.top * man.size, joints + CROTCH * man.size
  local heights, middles, outlines, ids = {}, {}, {}, {}
  for row = 1, HIP_ROWS do
    local down = (row - 1) / (HIP_ROWS - 1)
    heights[row], ids[row] = top + (bottom - top) * down, {}
    middles[row] = { 0, heights[row], man:at("hips")[3] + .012 * man.size }
    outlines[row] = tailor.outline(man, shapes, middles[row], -INSIDE * man.size)
  end
  local hip, knee = man:at("left_upper_leg"), (man:at("left_lower_leg"))
  local thigh, radius = vector.mix(hip, knee, -LEG[1][1]), LEG[1][2] * man.size
  local legs = tailor.ellipse(math.abs(thigh[1]) + radius, radius * .95)
  heights[HIP_ROWS + 1] = thigh[2]
  for i = 0, AROUND - 1 do
    local angle, distances = i / AROUND * 2 * math.pi, {}
    for row = 1, HIP_ROWS do
      local out = math.min(outlines[row](angle), widest(angle))
      distances[row] = out - drawn_in(row, angle) * math.max(0, out - legs(angle))
    end
    distances[HIP_ROWS + 1] = legs(angle)
    local filled, fills = taut(heights, distances), math.min(1, .5 + .6 * math.abs(math.cos(angle)))
    for row = 1, HIP_ROWS do
      local out = distances[row] + (filled[row] - distances[row]) * fills -- less at the sides: coats need room
      local position = vector.add(middles[row], vector.scale({ math.sin(angle), 0, math.cos(angle) }, out))
      local side = (i == 0 or i == AROUND / 2) and 0 or i < AROUND / 2 and 1 or -1
      if side == 0 and row == HIP_ROWS then
        position = { position[1], position[2] - FORK[1] * man.size,
                     middles[row][3] + FORK[2] * (position[3] - middles[row][3]) }
      end
      local spine = math.max(0, .6 - 2 * (row - 1) / (HIP_ROWS - 1))
      local thighs = thigh_share(man, heights[row], math.cos(angle))
      if side == 0 then thighs = .5 * thighs end
      local weights = { [man.bone.hips] = 1 - spine - thighs }
      if spine > 0 then weights[man.bone.spines[1]] = spine end
      if thighs > 0 and side >= 0 then weights[man.bone.left_upper_leg] = thighs * (1 + side) / 2 end
      if thighs > 0 and side <= 0 then weights[man.bone.right_upper_leg] = thighs * (1 - side) / 2 end
      ids[row][i + 1] = cage:point(position, weights)
    end
  end
  return ids
end

-- Half a ring round the hips: from the middle in front over the outside to the middle behind.
local function half_ring(ring, sign)
  local half = {}
  for i = 0, AROUND // 2 do half[i + 1] = ring[sign > 0 and i + 1 or (AROUND - i) % AROUND + 1] end
  return half
end

-- Ten points round the leg: half a ring, and the crotch. The panels are cut along the inside.
local function add_side(cage, man, hip_rings, crotch, side)
  local sign = side == "left" and 1 or -1
  local rings, count = { half_ring(hip_rings[HIP_ROWS], sign) }, AROUND // 2 + 2
  rings[1][count] = crotch
  local hip, knee, ankle = man:at(side .. "_upper_leg"), (man:at(side .. "_lower_leg")), (man:at(side .. "_foot"))
  for k, row in ipairs(LEG) do
    local level, radius = row[1], row[2] * man.size
    local above = level > -1
    local center = vector.mix(above and hip or knee, above and knee or ankle, above and -level or -1 - level)
    rings[k + 1] = {}
    for i = 1, count do
      local angle = i % count / count * 2 * math.pi -- from inside over the front
      local crease = .006 * man.size * math.max(0, math.cos(2 * (angle - math.pi / 2))) ^ 6 * math.min(1, -level)
      local out = radius + crease
      local hips_share = row[3] * (1 - thigh_share(man, center[2], math.sin(angle)))
      local weights = {}
      for role, share in pairs { hips = hips_share, [side .. "_upper_leg"] = row[4] - hips_share,
                                 [side .. "_lower_leg"] = row[5] } do
        if share > 0 then weights[man.bone[role]] = share end
      end
      rings[k + 1][i] = cage:point({ center[1] - sign * out * math.cos(angle), center[2],
                                     center[3] + out * math.sin(angle) }, weights, nil, nil, k > #LEG - 2 and 0 or nil)
    end
  end
  local panel = {}
  for row = 1, HIP_ROWS - 1 do
    panel[row] = { false, table.unpack(half_ring(hip_rings[row], sign)) }
    panel[row][count + 1] = false
  end
  for _, points in ipairs(rings) do
    local row = {}
    for i = 0, count do row[i + 1] = points[(i + count - 1) % count + 1] end
    panel[#panel + 1] = row
  end
  cage:cut_grid(panel, {}, { OUTSIDE }, sign < 0)
end

return function(options)
  local all = read_options(options, own)
  local man = all.body or require "rigs.human"
  local cage = new_cage(.0025, .2) -- through the hips, so that skin that folds in the crotch is hidden
  local ids = hips(cage, man, all)
  local last = ids[HIP_ROWS]
  local points = cage.data.points
  local crotch = vector.mix(points[last[1]], points[last[AROUND // 2 + 1]], .5)
  crotch[2] = crotch[2] - .018 * man.size
  crotch = cage:point(crotch, { [man.bone.hips] = .6, [man.bone.left_upper_leg] = .2, [man.bone.right_upper_leg] = .2 })
  add_side(cage, man, ids, crotch, "left")
  add_side(cage, man, ids, crotch, "right")
  return cage:mesh(all.name, { color = all.color, roughness = .9, pattern = all.pattern }, { sides = "outer" })
end
