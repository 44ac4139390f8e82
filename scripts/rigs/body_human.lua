-- The human of Debian's assimp-testmodels, made by MakeHuman: 1.66 m tall, arms 45 degrees down, without bones. It is
-- bound in its own pose, then each limb is turned and stretched to the skeleton's.

local tweed = require "tweed"
local vector = require "rigs.vector"
local quaternion = tweed.quaternion

local body_human = { FILE = "Collada/human.zae" }

-- Joints of the mesh, m; of those at the sides the left one.
local JOINTS = {
  head = { 0, 1.475, .035 }, crown = { 0, 1.62, .045 }, neck = { 0, 1.385, .010 },
  chin = { 0, 1.465, .10 }, brow = { 0, 1.56, .11 }, temple = { .052, 1.55, .04 }, occiput = { 0, 1.54, -.03 },
  shoulder = { .030, 1.345, 0 }, upper_arm = { .168, 1.330, .008 }, lower_arm = { .333, 1.135, .030 },
  hand = { .434, 1.034, .157 }, knuckles = { .472, .980, .210 }, finger_tips = { .508, .925, .250 },
  upper_leg = { .088, .875, .025 }, lower_leg = { .138, .480, .035 }, foot = { .185, .075, .018 },
  toes = { .190, .022, .125 }, toe_tips = { .200, .015, .175 },
}
-- How far the middle of the trunk lies ahead at heights; m. The spine is behind it.
local MIDDLE = { { .875, .020 }, { .960, .039 }, { 1.080, .050 }, { 1.200, .045 }, { 1.280, .023 }, { 1.360, .007 } }
local SPINE = -.015
local RIBS = { { .085, 1.220, .030 }, { .100, 1.280, .030 } } -- lines across the chest, which keep arms' weights off it

local NIPPLE, AREOLA, AROUND = { .081, 1.212, .105 }, .023, .040 -- of the left breast; m from there

local CLOSED = .34 -- of fingers at their tips
local RELAXED, FIST = math.rad(36), math.rad(235) -- by how much fingers are bent at their tips

-- A thumb, by {along the fingers, across them to its side, out of the palm} in m from the knuckles: where it begins,
-- its way, and its way beside a fist, round which its tip is brought so far.
local THUMB = {
  base = { -.005, .045, .010 }, way = { .027, .055, .012 }, fist = { .020, .016, .052 }, round = .020,
}
local HAND = .07695 -- m from knuckles to finger tips

local GIRTH = .95 -- of one of size 1
local SOLE = .03  -- m from the toes' joint to the ground, at size 1
local SIDES = { left = 1, right = -1 }

local function mirrored(joint, sign)
  local place = JOINTS[joint]
  return { sign * place[1], place[2], place[3] }
end

-- A part that is turned from one direction to another, stretched along it and widened across.
local function limb(from, tip, to, to_tip, across)
  local way, new_way = vector.subtract(tip, from), vector.subtract(to_tip, to)
  local along = vector.length(new_way) / vector.length(way)
  local turn = quaternion.between(way, new_way)
  local unit = vector.unit(way)
  local function image(axis)
    local stretched = vector.add(vector.scale(axis, across),
      vector.scale(unit, (along - across) * vector.dot(axis, unit)))
    return quaternion.rotate(turn, stretched)
  end
  return { from = from, to = to, x = image { 1, 0, 0 }, y = image { 0, 1, 0 }, z = image { 0, 0, 1 } }
end

local function moved(part, place)
  local way = vector.subtract(place, part.from)
  return vector.add(part.to, vector.add(vector.scale(part.x, way[1]),
    vector.add(vector.scale(part.y, way[2]), vector.scale(part.z, way[3]))))
end

-- How far ahead the flesh of the trunk is, by height.
local function flesh_middle(man)
  local list = {}
  for i = 1, 3 do -- pelvis, abdomen, chest
    local shape = man.colliders[i]
    local position, rotation = man:at(shape.bone)
    local center = vector.add(position, quaternion.rotate(rotation, shape.center))
    list[i] = { center[2], center[3] }
  end
  return list
end

-- The trunk's bones from the hips up: each keeps its share of the way from the hip joints to the shoulder joints.
local function add_trunk(man, bones, fit)
  local hip, shoulder = man:level(0), man:level(1)
  local low, high = JOINTS.upper_leg[2], JOINTS.upper_arm[2]
  local girth, middle = GIRTH * man.size, flesh_middle(man)
  local width = man:way("right_upper_arm", "left_upper_arm")[1] / 2 / JOINTS.upper_arm[1]
  local function own_height(height) return low + (height - hip) / (shoulder - hip) * (high - low) end
  local function center(height) return { 0, own_height(height), vector.interpolate(MIDDLE, own_height(height)) } end

  local names, heights = { man.bone.hips }, { hip }
  for _, name in ipairs(man.bone.spines) do
    names[#names + 1], heights[#heights + 1] = name, man.rest[name].position[2]
  end
  heights[#heights + 1] = shoulder
  for i, name in ipairs(names) do
    local from, to = heights[i], math.max(heights[i], heights[i + 1])
    local up = math.max(0, math.min(1, ((from + to) / 2 - hip) / (shoulder - hip)))
    fit[name] = {
      from = center((from + to) / 2), to = { 0, (from + to) / 2, vector.interpolate(middle, (from + to) / 2) },
      x = { girth + .7 * (width - girth) * up ^ 2, 0, 0 },
      y = { 0, (shoulder - hip) / (high - low), 0 }, z = { 0, 0, girth },
    }
    if to - from > .01 then
      bones[name] = { vector.add(center(from), { 0, 0, SPINE }), vector.add(center(to), { 0, 0, SPINE }) }
    end
  end
  local hips, chest = bones[man.bone.hips] or {}, bones[man.bone.chest] or {}
  for _, place in ipairs { mirrored("upper_leg", 1), center(hip), mirrored("upper_leg", -1) } do
    table.insert(hips, 1, place)
  end
  for _, rib in ipairs(RIBS) do
    chest[#chest + 1] = { -rib[1], rib[2], rib[3] }
    chest[#chest + 1] = rib
  end
  bones[man.bone.hips], bones[man.bone.chest] = hips, chest
end

local function add_head(man, bones, fit)
  local head, girth = man.bone.head, GIRTH * man.size
  local neck = man.parent[head]
  if neck ~= man.bone.chest then
    local base = moved(fit[man.bone.chest], JOINTS.neck)
    fit[neck] = limb(JOINTS.neck, JOINTS.head, base, (man:at(head)), girth)
    bones[neck] = { JOINTS.neck, JOINTS.head }
  end
  fit[head] = { from = JOINTS.head, to = (man:at(head)), x = { girth, 0, 0 }, y = { 0, girth, 0 },
                z = { 0, 0, girth } }
  bones[head] = { -- all round the skull, so that face and scalp stay with eyes and hair
    JOINTS.head, JOINTS.chin, JOINTS.brow, mirrored("temple", 1), JOINTS.occiput, mirrored("temple", -1), JOINTS.brow,
    JOINTS.crown,
  }
end

local function add_limb(man, bones, fit, side, role, below)
  local from, tip = mirrored(role, SIDES[side]), mirrored(below, SIDES[side])
  local name = man.bone[side .. "_" .. role]
  bones[name] = { from, tip }
  fit[name] = limb(from, tip, (man:at(name)), (man:at(side .. "_" .. below)), GIRTH * man.size)
end

local function add_arm(man, bones, fit, side)
  local sign, girth = SIDES[side], GIRTH * man.size
  local shoulder, chest = man.bone[side .. "_shoulder"], man.bone.chest
  if shoulder ~= chest then
    local from, tip = mirrored("shoulder", sign), mirrored("upper_arm", sign)
    bones[shoulder] = { from, tip }
    fit[shoulder] = limb(from, tip, moved(fit[chest], from), (man:at(side .. "_upper_arm")), girth)
  end
  add_limb(man, bones, fit, side, "upper_arm", "lower_arm")
  add_limb(man, bones, fit, side, "lower_arm", "hand")
  local elbow, wrist = mirrored("lower_arm", sign), mirrored("hand", sign)
  local hand, way = man.bone[side .. "_hand"], vector.subtract(wrist, elbow)
  local new_way = vector.scale(man:way(side .. "_lower_arm", side .. "_hand"), 1)
  local scale = girth * vector.length(way) / vector.length(new_way) -- as wide as long, along the forearm
  fit[hand] = limb(wrist, vector.add(wrist, way), (man:at(hand)),
    vector.add(man:at(hand), vector.scale(new_way, scale)), girth)
  bones[hand] = { wrist, mirrored("knuckles", sign), mirrored("finger_tips", sign) }
end

-- Feet stay flat: as high as the ankle is above the sole.
local function add_leg(man, bones, fit, side)
  local sign, girth = SIDES[side], GIRTH * man.size
  add_limb(man, bones, fit, side, "upper_leg", "lower_leg")
  add_limb(man, bones, fit, side, "lower_leg", "foot")
  local ankle, ball = man:at(side .. "_foot"), man:at(side .. "_toes")
  local long = (ball[3] - ankle[3]) / (JOINTS.toes[3] - JOINTS.foot[3])
  local part = {
    from = mirrored("foot", sign), to = ankle, x = { girth, 0, 0 },
    y = { 0, (ankle[2] - ball[2] + SOLE * man.size) / JOINTS.foot[2], 0 },
    z = { 0, 0, math.max(.8 * girth, math.min(1.12 * girth, long)) },
  }
  fit[man.bone[side .. "_foot"]], fit[man.bone[side .. "_toes"]] = part, part
  bones[man.bone[side .. "_foot"]] = { mirrored("foot", sign), mirrored("toes", sign) }
  bones[man.bone[side .. "_toes"]] = { mirrored("toes", sign), mirrored("toe_tips", sign) }
end

-- Solves a * x = b, an n by n matrix and n values, by Gauss's elimination with pivots.
local function solve(a, b)
  local n = #b
  for i = 1, n do
    local pivot = i
    for k = i + 1, n do if math.abs(a[k][i]) > math.abs(a[pivot][i]) then pivot = k end end
    a[i], a[pivot], b[i], b[pivot] = a[pivot], a[i], b[pivot], b[i]
    for k = i + 1, n do
      local share = a[k][i] / a[i][i]
      for j = i, n do a[k][j] = a[k][j] - share * a[i][j] end
      b[k] = b[k] - share * b[i]
    end
  end
  for i = n, 1, -1 do
    for j = i + 1, n do b[i] = b[i] - a[i][j] * b[j] end
    b[i] = b[i] / a[i][i]
  end
  return b
end

local function powers(x, y) return { 1, x, y, x * x, x * y, y * y } end

-- The breasts without nipples, whose fine folds would show through tight clothes as dents: inside AREOLA they lie on
-- the quadric that fits the skin from there to AROUND.
local function smooth_breasts(man, skin, fit)
  local center, size = moved(fit[man.bone.chest], NIPPLE), man.size
  local function off(place) -- from either center, m at size 1
    if place[3] <= center[3] - .05 * size then return 0, 0, math.huge end
    local x, y = (math.abs(place[1]) - center[1]) / size, (place[2] - center[2]) / size
    return x, y, math.sqrt(x * x + y * y)
  end
  local a, b = {}, {}
  for i = 1, 6 do a[i], b[i] = { 0, 0, 0, 0, 0, 0 }, 0 end
  skin:reshaped(function(place)
    local x, y, far = off(place)
    if far > AREOLA and far < AROUND then
      local row = powers(x, y)
      for i = 1, 6 do
        b[i] = b[i] + row[i] * place[3]
        for j = 1, 6 do a[i][j] = a[i][j] + row[i] * row[j] end
      end
    end
    return place
  end)
  local shape = solve(a, b)
  return skin:reshaped(function(place)
    local x, y, far = off(place)
    if far >= AROUND then return place end
    local z, share = 0, math.min(1, (AROUND - far) / (AROUND - AREOLA))
    for i, power in ipairs(powers(x, y)) do z = z + shape[i] * power end
    return { place[1], place[2], place[3] + share * share * (3 - 2 * share) * (z - place[3]) }
  end)
end

-- The way across a hand's fingers and the way out of its palm, at right angles to the fingers: where they spread most,
-- and least.
local function hand_axes(skin, knuckles, along, reach, sign)
  local one = vector.unit(vector.cross(along, { 0, 0, 1 }))
  local two = vector.cross(along, one)
  local xx, xy, yy = 0, 0, 0
  skin:reshaped(function(place)
    if math.abs(place[1] - knuckles[1]) > reach then return place end
    local off = vector.subtract(place, knuckles)
    if vector.dot(off, along) > 0 and vector.length(off) < reach then
      local x, y = vector.dot(off, one), vector.dot(off, two)
      xx, xy, yy = xx + x * x, xy + x * y, yy + y * y
    end
    return place
  end)
  local angle = math.atan(2 * xy, xx - yy) / 2
  local across = vector.add(vector.scale(one, math.cos(angle)), vector.scale(two, math.sin(angle)))
  local palm = vector.cross(along, across)
  if vector.dot(palm, { -sign, -1, 0 }) < 0 then palm = vector.scale(palm, -1) end
  return across, palm
end

-- Lays a thumb beside a fist. Returns how far a place belongs to the thumb, and its new place; both as of THUMB.
local function fold_thumb(place)
  local share = vector.smoothstep(.035, .065, place[2]) * (1 - vector.smoothstep(.033, .041, place[1]))
    * vector.smoothstep(-.006, .004, place[3])
  if share == 0 then return 0, place end
  local off = vector.subtract(place, THUMB.base)
  local along = vector.dot(off, vector.unit(THUMB.way))
  local new = vector.add(THUMB.base, quaternion.rotate(quaternion.between(THUMB.way, THUMB.fist), off))
  new[2] = new[2] - THUMB.round * vector.smoothstep(.025, .070, along)
  return share, new
end

-- Bends fingers along an arc by an angle, and brings them nearer to each other towards their tips by CLOSED. Fists
-- fold the thumb, too.
local function bend_fingers(man, skin, fit, side, fists)
  local sign, part = SIDES[side], fit[man.bone[side .. "_hand"]]
  local knuckles, tips = moved(part, mirrored("knuckles", sign)), moved(part, mirrored("finger_tips", sign))
  local way = vector.subtract(tips, knuckles)
  local along, long, curl = vector.unit(way), vector.length(way), fists and FIST or RELAXED
  local across, palm = hand_axes(skin, knuckles, along, 2 * long, sign)
  if across[3] < 0 then across = vector.scale(across, -1) end -- to the thumb
  local function bent(down, aside, out)
    if down <= 0 then return { down, aside, out } end
    local turn = curl * down / long
    return { math.sin(turn) * (long / curl - out), aside * (1 - CLOSED * math.min(1, down / long)),
             long / curl - math.cos(turn) * (long / curl - out) }
  end
  return skin:reshaped(function(place)
    if math.abs(place[1] - knuckles[1]) > 2 * long then return place end -- not near this hand
    local off = vector.subtract(place, knuckles)
    local down, aside, out = vector.dot(off, along), vector.dot(off, across), vector.dot(off, palm)
    if down <= -.5 * long or vector.length(off) > 2 * long then return place end
    local new, scale = bent(down, aside, out), long / HAND
    if fists then
      local share, thumb = fold_thumb(vector.scale({ down, aside, out }, 1 / scale))
      new = vector.mix(new, vector.scale(thumb, scale), share)
    end
    return vector.add(vector.add(knuckles, vector.scale(along, new[1])),
      vector.add(vector.scale(across, new[2]), vector.scale(palm, new[3])))
  end)
end

-- tuck: as of tweed.bind_mesh. fists: whether its hands are fists; else they hang relaxed.
function body_human.fit(man, tuck, fists)
  local bones, fit = {}, {}
  add_trunk(man, bones, fit)
  add_head(man, bones, fit)
  for side in pairs(SIDES) do
    add_arm(man, bones, fit, side)
    add_leg(man, bones, fit, side)
  end
  local skin = smooth_breasts(man, tweed.bind_mesh {
    name = "body", skeleton = man.skeleton, bones = bones, fit = fit,
    mesh = tweed.import_mesh { file = body_human.FILE, mesh = "human-baseMesh" }, -- without its floating eyes
    tuck = tuck,
    material = { color = { .80, .60, .50 }, roughness = .6, pattern = "skin" },
  }, fit)
  for _, side in ipairs { "left", "right" } do skin = bend_fingers(man, skin, fit, side, fists) end
  return skin
end

return body_human
