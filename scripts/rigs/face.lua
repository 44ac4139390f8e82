-- Another face for the head of rigs/body_human.lua: a function that moves places on it, for body and hair.
--
--   local face = require "rigs.face" { jaw = .6, nose = .5, lids = .8 }
--   meshes = suit { skin = body(human, { face = face }), face = face }
--   require "rigs.face" { body = boxer, width = .3 }   -- any humanoid, default rigs.human
--
-- Each feature is a number of -1 to 1: 0 is the file's own face. Features that it leaves out are 0, but for the lids,
-- which the file has wide open.

local read_options = require "rigs.options"
local vector = require "rigs.vector"

-- In m from the head's joint at size 1, on the left; both sides move alike. `move` is how far a place at `at` goes at
-- 1; `spread` is how far from there that fades.
local FEATURES = {
  jaw = { at = { .050, -.005, .045 }, spread = { .030, .034, .042 }, move = { .0085, 0, 0 } },
  chin = { at = { 0, -.024, .098 }, spread = { .024, .022, .030 }, move = { 0, -.005, .007 } },
  cheeks = { at = { .046, .015, .068 }, spread = { .028, .032, .040 }, move = { .009, -.003, .006 } },
  cheekbones = { at = { .052, .052, .068 }, spread = { .020, .016, .030 }, move = { .006, .001, .004 } },
  nose = { at = { 0, .045, .116 }, spread = { .013, .019, .020 }, move = { 0, -.0035, .0075 } },
  nostrils = { at = { .011, .040, .103 }, spread = { .010, .012, .014 }, move = { .0040, 0, 0 } },
  bridge = { at = { 0, .068, .103 }, spread = { .010, .015, .014 }, move = { 0, 0, .006 } },
  lips = { at = { 0, .012, .107 }, spread = { .022, .011, .014 }, move = { 0, 0, .0035 } },
  mouth = { at = { .022, .012, .095 }, spread = { .010, .012, .020 }, move = { .0045, 0, 0 } },
  brow = { at = { .026, .093, .090 }, spread = { .022, .011, .020 }, move = { 0, -.004, .005 } },
  lids = { at = { .0285, .0840, .090 }, spread = { .015, .0065, .020 }, move = { 0, -.0042, .0010 } },
  eyes = { at = { .0285, .0735, .085 }, spread = { .017, .020, .030 }, move = { .0030, 0, 0 } },
  folds = { at = { .029, .020, .095 }, spread = { .0065, .016, .018 }, move = { -.0012, 0, -.0042 } }, -- nose to mouth
  bags = { at = { .0285, .0600, .088 }, spread = { .014, .0045, .016 }, move = { 0, -.0010, .0034 } }, -- below the eyes
  temples = { at = { .062, .085, .055 }, spread = { .014, .024, .024 }, move = { -.0055, 0, -.0010 } },
  wattle = { at = { 0, -.048, .066 }, spread = { .016, .034, .030 }, move = { 0, -.010, .007 }, on_neck = true },
  sinews = { at = { .021, -.085, .040 }, spread = { .0075, .050, .040 }, move = { -.001, 0, .0075 }, on_neck = true },
  jowls = { at = { .040, -.012, .074 }, spread = { .020, .022, .030 }, move = { .004, -.008, .003 } },
}
local WIDTH, LENGTH = .065, .10        -- of a whole head; of what is below the eyes, at 1
local EYES = .0735                     -- m above the head's joint
local NECK, SKULL = -.085, -.030       -- m from the head's joint: below the one all stays, above the other all moves
local THROAT = -.160                   -- m from there: below, features on the neck stay, too
local ORDER = {}
for name in pairs(FEATURES) do ORDER[#ORDER + 1] = name end
table.sort(ORDER)

local own = { "body", { "width", 0, -1, 1 }, { "length", 0, -1, 1 } }
for _, name in ipairs(ORDER) do own[#own + 1] = { name, name == "lids" and .7 or 0, -1, 1 } end

return function(options)
  local all = read_options(options, own)
  local man, features = all.body or require "rigs.human", {}
  local head_x, head_y, head_z = table.unpack((man:at "head"))
  for _, name in ipairs(ORDER) do
    if all[name] ~= 0 then
      local feature = FEATURES[name]
      features[#features + 1] = { all[name], feature.at, feature.spread, feature.move, feature.on_neck }
    end
  end
  local function moved(x, y, z)
    local side, new_x, new_y, new_z = math.abs(x), x, y, z
    local neck_x, neck_y, neck_z = 0, 0, 0
    local sign = math.max(-1, math.min(1, x / .006))
    for _, feature in ipairs(features) do
      local amount, at, spread, move, on_neck = table.unpack(feature)
      local far = ((side - at[1]) / spread[1]) ^ 2 + ((y - at[2]) / spread[2]) ^ 2 + ((z - at[3]) / spread[3]) ^ 2
      if far < 6 then
        local share = amount * math.exp(-far)
        local dx, dy, dz = sign * share * move[1], share * move[2], share * move[3]
        if on_neck then neck_x, neck_y, neck_z = neck_x + dx, neck_y + dy, neck_z + dz
        else new_x, new_y, new_z = new_x + dx, new_y + dy, new_z + dz end
      end
    end
    local share = vector.smoothstep(NECK, SKULL, y)
    return x + share * ((1 + WIDTH * all.width) * new_x - x) + neck_x,
      y + share * (new_y - y + LENGTH * all.length * math.min(0, y - EYES)) + neck_y, z + share * (new_z - z) + neck_z
  end
  return function(place)
    local x, y, z = (place[1] - head_x) / man.size, (place[2] - head_y) / man.size, (place[3] - head_z) / man.size
    if y < THROAT or math.abs(x) > .12 then return place end
    x, y, z = moved(x, y, z)
    return { head_x + x * man.size, head_y + y * man.size, head_z + z * man.size }
  end
end
