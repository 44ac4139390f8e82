-- Any humanoid, ready to be dressed: its bones by role, a rest pose that clothes can be cut to, its flesh as colliders.
--
--   local boxer = require "rigs.humanoid" { file = "BVH/Boxing_Toes.bvh" }
--   boxer.skeleton, boxer.colliders            -- for tweed.character
--   jacket { body = boxer, fabric = "denim" }  -- and for garments
--   require "rigs.gait".walk { body = boxer }
--
-- Options: file = what to import the skeleton from, or skeleton = what tweed.skeleton takes or returns; bones =
-- { ROLE = NAME } where roles.lua does not know the names.
--
-- A file's rest pose is often one of zero angles: legs splayed, arms out. Here it is put right: standing, legs nearly
-- straight down, arms hanging away from the body. A clip gives each bone's whole rotation in its parent's space, so the
-- file's clips fit all the same.
--
-- Heights are told as levels, which fit any proportions: -2 at the ankles, -1 at the knees, 0 at the hip joints, 1 at
-- the shoulder joints, 2 at the top of the head.

local tweed = require "tweed"
local read_options = require "rigs.options"
local find_roles = require "rigs.roles"
local flesh = require "rigs.flesh"
local vector = require "rigs.vector"
local quaternion = tweed.quaternion

local SOLE = .03                         -- m from the ground to the lowest bone, for one of size 1
local LEG, ARM = math.rad(4), math.rad(40) -- from straight down, at rest
local LEG_LENGTH = .8351                 -- m from hip to ankle at size 1: of CMU's subject 1, about 1.55 m tall
local HEAD = .17                         -- m from the head's joint to its top, at size 1

local function copies(bones)
  local all = {}
  for i, bone in ipairs(bones) do
    all[i] = { name = bone.name, parent = bone.parent, position = bone.position or { 0, 0, 0 },
               rotation = bone.rotation or { 0, 0, 0, 1 } }
  end
  return all
end

-- Where every bone is at rest, in model space.
local function rest_of(bones)
  local rest = {}
  for _, bone in ipairs(bones) do -- parents come first
    local above = rest[bone.parent]
    rest[bone.name] = above and {
      position = vector.add(above.position, quaternion.rotate(above.rotation, bone.position)),
      rotation = quaternion.multiply(above.rotation, bone.rotation),
    } or { position = bone.position, rotation = bone.rotation }
  end
  return rest
end

-- Turns a bone, with all below it, by a turn in model space.
local function turn_bone(bones, name, turn)
  local rest = rest_of(bones)
  for _, bone in ipairs(bones) do
    if bone.name == name then
      local above = rest[bone.parent] and rest[bone.parent].rotation or { 0, 0, 0, 1 }
      bone.rotation = quaternion.multiply(quaternion.inverse(above), turn, rest[name].rotation)
    end
  end
end

local function face_forward(bones, roles)
  local rest = rest_of(bones)
  if rest[roles.left_upper_leg].position[1] > rest[roles.right_upper_leg].position[1] then return end
  for _, bone in ipairs(bones) do
    if not bone.parent then
      local about = quaternion.axis_angle({ 0, 1, 0 }, math.pi)
      bone.position = quaternion.rotate(about, bone.position)
      bone.rotation = quaternion.multiply(about, bone.rotation)
    end
  end
end

-- Turns a bone so that the one below it hangs down, so far away from the body.
local function hang(bones, upper, below, sign, angle)
  local rest = rest_of(bones)
  local way = vector.subtract(rest[below].position, rest[upper].position)
  turn_bone(bones, upper, quaternion.between(way, { sign * math.sin(angle), -math.cos(angle), 0 }))
end

local function stand(bones, roles)
  face_forward(bones, roles)
  for side, sign in pairs { left = 1, right = -1 } do
    hang(bones, roles[side .. "_upper_leg"], roles[side .. "_lower_leg"], sign, LEG)
    hang(bones, roles[side .. "_upper_arm"], roles[side .. "_lower_arm"], sign, ARM)
  end
end

local function to_ground(bones, sole)
  local lowest = math.huge
  for _, rest in pairs(rest_of(bones)) do lowest = math.min(lowest, rest.position[2]) end
  for _, bone in ipairs(bones) do
    if not bone.parent then bone.position = vector.add(bone.position, { 0, sole - lowest, 0 }) end
  end
end

local function middle(rest, roles, part)
  return vector.mix(rest[roles["left_" .. part]].position, rest[roles["right_" .. part]].position, .5)
end

-- Fields: skeleton; colliders, trunk and knees (flesh.lua); clothed: the colliders of one in trousers and coat; file;
-- bone = { ROLE = NAME } (roles.lua); parent = { NAME = NAME }; rest = { NAME = { position, rotation } } in model
-- space; size; levels.
local Humanoid = {}
Humanoid.__index = Humanoid

-- Where a bone, by role or name, is at rest: position, rotation in model space.
function Humanoid:at(role)
  local rest = self.rest[self.bone[role] or role]
  if not rest then
    local names = {}
    for name, bone in pairs(self.bone) do names[#names + 1] = self.rest[bone] and name end
    for name in pairs(self.rest) do names[#names + 1] = name end
    table.sort(names)
    local near = tweed.nearest(tostring(role), names)
    error(("no role or bone \"%s\"%s"):format(role, near and ("; did you mean \"%s\"?"):format(near) or ""), 0)
  end
  return rest.position, rest.rotation
end

-- From one role's joint to another's, at rest, m in model space.
function Humanoid:way(from, to) return vector.subtract((self:at(to)), (self:at(from))) end

-- A point of model space in a bone's space at rest.
function Humanoid:local_point(role, point)
  return self:local_direction(role, vector.subtract(point, (self:at(role))))
end

-- A direction of model space in a bone's space at rest.
function Humanoid:local_direction(role, direction)
  local _, own = self:at(role)
  return quaternion.rotate(quaternion.inverse(own), direction)
end

-- A rotation of model space in a bone's space at rest.
function Humanoid:local_rotation(role, rotation)
  local _, own = self:at(role)
  return quaternion.multiply(quaternion.inverse(own), rotation)
end

-- The height of a level, m, and there the middle of the body as far as its joints tell.
function Humanoid:level(level)
  local levels = self.levels
  local below = math.max(1, math.min(#levels - 1, math.floor(level) + 3))
  local point = vector.mix(levels[below], levels[below + 1], level - (below - 3))
  return point[2], point
end

-- The trunk's bone that carries what is at a height: the highest one whose joint is not above it.
function Humanoid:trunk_at(height)
  local name = self.bone.hips
  for _, spine in ipairs(self.bone.spines) do
    if self.rest[spine].position[2] <= height then name = spine end
  end
  return name
end

-- 1 for CMU's subject 1, as the legs' length tells; what is no matter of proportions goes by it.
local function size_of(rest, roles)
  local function length(from, to) return vector.length(vector.subtract(rest[to].position, rest[from].position)) end
  local sum = 0
  for _, side in ipairs { "left", "right" } do
    sum = sum + length(roles[side .. "_upper_leg"], roles[side .. "_lower_leg"])
      + length(roles[side .. "_lower_leg"], roles[side .. "_foot"])
  end
  return sum / 2 / LEG_LENGTH
end

return function(options)
  read_options(options, { "file", "skeleton", "bones" })
  local skeleton = options.skeleton or tweed.import(assert(options.file, "expected a file or a skeleton"))
  local bones = copies((skeleton.bones and skeleton or tweed.skeleton(skeleton)).bones) -- parents first
  local roles = find_roles(bones, options.bones)
  stand(bones, roles)
  local size = size_of(rest_of(bones), roles)
  to_ground(bones, SOLE * size)

  local man = setmetatable({ file = options.file, bone = roles, parent = {}, rest = rest_of(bones), size = size },
    Humanoid)
  for _, bone in ipairs(bones) do man.parent[bone.name] = bone.parent end
  man.skeleton = tweed.skeleton(bones)
  man.levels = {
    middle(man.rest, roles, "foot"), middle(man.rest, roles, "lower_leg"), middle(man.rest, roles, "upper_leg"),
    middle(man.rest, roles, "upper_arm"), vector.add((man:at "head"), { 0, HEAD * size, 0 }),
  }
  man.colliders, man.trunk, man.knees, man.clothed = flesh(man)
  return man
end
