-- A ponytail: a chain of hair from the back of the head that lies on the body.
--
--   ponytail { name = "ponytail", fabric = "silk" }
--
-- It springs from a tie behind the crown, arches and hangs. Close to the tie the hair is stiff and keeps its arch, at
-- the tip it is free; no link bends sharply, so it never folds into itself or through the head. Any other field of
-- tweed.chain may be given too.

local tweed = require "tweed"
local read_options = require "rigs.options"

local own = { -- { key, default, from, to, unit }
  { "tie", { 0, .10, -.078 } },      -- m in the bone's space: where it springs from
  { "length", .40, .05, 3, "m" },
  { "links", 9, 1, 127 },
  { "arch", .055, .001, 1, "m" },    -- how far it stands out behind the tie before it hangs
}
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

return function(options)
  local all, chain = read_options(options, own, true)
  for key, value in pairs(defaults) do
    if chain[key] == nil then chain[key] = value end
  end
  chain.points = hang(all)
  return tweed.chain(chain)
end
