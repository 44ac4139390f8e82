-- A ponytail: a chain of hair from the back of the head that lies on the body.
--
--   ponytail { name = "ponytail", fabric = "silk" }
--
-- It springs from a tie behind the crown, arches and hangs. Close to the tie the hair is stiff and keeps its arch, at
-- the tip it is free; no link bends sharply, so it never folds into itself or through the head. Any other field of
-- tweed.chain may be given too. With `color` it has a mesh of hair.

local tweed = require "tweed"
local read_options = require "rigs.options"
local new_cage = require "garments.cage"
local vector = require "rigs.vector"

local own = { -- { key, default, from, to, unit }
  { "tie", { 0, .10, -.078 } },      -- m in the bone's space: where it springs from
  { "length", .40, .05, 3, "m" },
  { "links", 9, 1, 127 },
  { "arch", .055, .001, 1, "m" },    -- how far it stands out behind the tie before it hangs
  "color",
}
local THICK = { { 0, .013 }, { .06, .012 }, { .22, .024 }, { .55, .023 }, { .85, .014 }, { 1, .004 } } -- m along it
local COLUMNS = 12
local defaults = {
  bone = "Head",
  pose_stiffness = { base = 3, tip = .5 },
  pose_damping = .4,
  angle_limit = { base = 50, tip = 30 },
}

-- Points at equal distances along a curve that leaves backwards and slightly up and ends hanging down.
local function hang(all)
  local points, link = { all.tie }, all.length / all.links
  local y, z = all.tie[2], all.tie[3]
  for i = 1, all.links do
    local turned = 1 - math.exp(-(i - .5) * link / all.arch) -- 0 level, 1 hanging
    local angle = math.rad(15 - 105 * turned)
    y, z = y + link * math.sin(angle), z - link * math.cos(angle)
    points[#points + 1] = { all.tie[1], y, z }
  end
  return points
end

-- Strands round the chain; each ring follows the links on both sides of it.
local function strands(all, chain, man)
  local cage, uvs, ids, last = new_cage(.001), {}, {}, #chain.points
  local places, prefix = {}, chain.bones and chain.bones.prefix or chain.name .. "_"
  for i, point in ipairs(chain.points) do places[i] = vector.add((man:at(chain.bone)), point) end
  for k, place in ipairs(places) do
    local way = vector.subtract(places[math.min(last, k + 1)], places[math.max(1, k - 1)])
    way = vector.unit(way)
    local share, out, weights = (k - 1) / (last - 1), vector.cross({ 1, 0, 0 }, way), {}
    for _, link in ipairs { math.max(1, k - 1), math.min(last - 1, k) } do
      local bone = ("%s%d_0"):format(prefix, link - 1)
      weights[bone] = (weights[bone] or 0) + .5
    end
    ids[k], uvs[k] = {}, {}
    for column = 1, COLUMNS + 1 do
      local angle = (column - 1) / COLUMNS * 2 * math.pi
      local radius = vector.interpolate(THICK, share) * (1 + .10 * math.sin(3 * angle + 7 * share))
      local off = vector.add({ radius * math.cos(angle), 0, 0 }, vector.scale(out, -.8 * radius * math.sin(angle)))
      ids[k][column] = column > COLUMNS and ids[k][1] or cage:point(vector.add(place, off), weights)
      uvs[k][column] = { .022 * angle, (1 - share) * all.length }
    end
  end
  cage:grid(ids, true, uvs)
  return cage:mesh(chain.name, { color = all.color, roughness = .55, pattern = "hair" }, { flatten = false })
end

return function(options)
  local all, chain = read_options(options, own, true)
  for key, value in pairs(defaults) do
    if chain[key] == nil then chain[key] = value end
  end
  chain.points = hang(all)
  if all.color then chain.meshes = { strands(all, chain, require "rigs.human") } end
  return tweed.chain(chain)
end
