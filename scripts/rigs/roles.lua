-- Which bone of a humanoid plays which role, whatever its file calls it.
--
-- Roles are VRM's names in lower case: hips, spine, chest, neck, head, and on each side left_ and right_ shoulder,
-- upper_arm, lower_arm, hand, upper_leg, lower_leg, foot, toes. The limbs are found by name, after the first convention
-- that fits; what lies between hips, arms and head follows from who is whose parent.

local tweed = require "tweed"

local conventions = {
  { name = "CMU, Mixamo", sides = { "Left", "Right" },
    hips = "Hips", head = "Head", upper_arm = "%sArm", lower_arm = "%sForeArm", hand = "%sHand",
    upper_leg = "%sUpLeg", lower_leg = "%sLeg", foot = "%sFoot", toes = "%sToeBase" },
  { name = "Biovision", sides = { "Left", "Right" },
    hips = "Hips", head = "Head", upper_arm = "%sShoulder", lower_arm = "%sElbow", hand = "%sWrist",
    upper_leg = "%sHip", lower_leg = "%sKnee", foot = "%sAnkle", toes = "%sToes" },
  { name = "VRM", sides = { "left", "right" },
    hips = "hips", head = "head", upper_arm = "%sUpperArm", lower_arm = "%sLowerArm", hand = "%sHand",
    upper_leg = "%sUpperLeg", lower_leg = "%sLowerLeg", foot = "%sFoot", toes = "%sToes" },
  { name = "VRoid", sides = { "L_", "R_" },
    hips = "C_Hips", head = "C_Head", upper_arm = "%sUpperArm", lower_arm = "%sLowerArm", hand = "%sHand",
    upper_leg = "%sUpperLeg", lower_leg = "%sLowerLeg", foot = "%sFoot", toes = "%sToeBase" },
  { name = "Rigify", sides = { "L", "R" },
    hips = "spine", head = "spine.006", upper_arm = "upper_arm.%s", lower_arm = "forearm.%s", hand = "hand.%s",
    upper_leg = "thigh.%s", lower_leg = "shin.%s", foot = "foot.%s", toes = "toe.%s" },
}

local LIMBS = { "upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg", "foot", "toes" }
local SIDES = { "left", "right" }

local ROLES = { "hips", "spine", "chest", "neck", "head" }
for _, side in ipairs(SIDES) do
  ROLES[#ROLES + 1] = side .. "_shoulder"
  for _, limb in ipairs(LIMBS) do ROLES[#ROLES + 1] = side .. "_" .. limb end
end
local is_role = {}
for _, role in ipairs(ROLES) do is_role[role] = true end

-- The names after a convention: a table from role to name, and the roles whose name no bone has.
local function by_convention(convention, prefix, parents)
  local names, missing = {}, {}
  local function take(role, pattern, side)
    local name = prefix .. pattern:format(side)
    names[role] = parents[name] ~= nil and name or nil
    if not names[role] then missing[#missing + 1] = ("%s (%s)"):format(role, name) end
  end
  take("hips", convention.hips)
  take("head", convention.head)
  for i, side in ipairs(SIDES) do
    for _, limb in ipairs(LIMBS) do take(side .. "_" .. limb, convention[limb], convention.sides[i]) end
  end
  return names, missing
end

-- What stands before all names, such as Mixamo's "mixamorig:" or, of a scene's ninth character, "mixamorig9:", and
-- Rigify's "DEF-" of the bones that deform.
local function prefixes(convention, bones)
  local found = { "" }
  for _, bone in ipairs(bones) do
    local prefix = bone.name:sub(1, -#convention.hips - 1)
    if prefix ~= "" and bone.name == prefix .. convention.hips then found[#found + 1] = prefix end
  end
  return found
end

local function best_convention(bones, parents)
  local best
  for _, convention in ipairs(conventions) do
    for _, prefix in ipairs(prefixes(convention, bones)) do
      local names, missing = by_convention(convention, prefix, parents)
      if not best or #missing < #best.missing then
        best = { names = names, missing = missing, name = convention.name }
      end
    end
  end
  return best
end

-- From a bone up to and with one above it, the upper one last; nothing where it is not above.
local function way_up(parents, from, to)
  local way = {}
  local bone = from
  while bone do
    way[#way + 1] = bone
    if bone == to then return way end
    bone = parents[bone]
  end
end

-- The bone that both are below and that is nearest to them.
local function common_parent(parents, a, b)
  local above = {}
  local bone = parents[a]
  while bone do above[bone], bone = true, parents[bone] end
  bone = parents[b]
  while bone and not above[bone] do bone = parents[bone] end
  return bone
end

-- For a message: which limbs are not below the hips, as those of a Rigify rig that hang on bones that do not deform.
local function astray(parents, roles)
  local names = {}
  for _, role in ipairs { "head", "left_upper_arm", "right_upper_arm", "left_upper_leg", "right_upper_leg" } do
    if not way_up(parents, roles[role], roles.hips) then names[#names + 1] = roles[role] end
  end
  return #names > 0 and (": not below %s: %s"):format(roles.hips, table.concat(names, ", ")) or ""
end

-- bones: a skeleton's list. given: { ROLE = NAME } for those that have a name of their own.
-- Returns { ROLE = NAME, …, spines = the bones from above the hips up to the chest }.
return function(bones, given)
  local parents = {} -- false for a root
  for _, bone in ipairs(bones) do parents[bone.name] = bone.parent or false end

  local found = best_convention(bones, parents)
  local roles = found.names
  for role, name in pairs(given or {}) do
    if not is_role[role] then
      local near = tweed.nearest(tostring(role), ROLES)
      error(("bones: no role \"%s\"%s"):format(role, near and ("; did you mean \"%s\"?"):format(near)
        or "; the roles are " .. table.concat(ROLES, ", ")), 0)
    end
    assert(parents[name] ~= nil, ("bones.%s: the skeleton has no bone \"%s\""):format(role, name))
    roles[role] = name
  end
  local missing = {}
  for _, line in ipairs(found.missing) do
    if not roles[line:match "^%S+"] then missing[#missing + 1] = line end
  end
  if #missing > 0 then
    error(("not a humanoid that is known: after %s, the nearest, it lacks %s; name them by bones = { ROLE = NAME }")
      :format(found.name, table.concat(missing, ", ")), 0)
  end

  local chest = common_parent(parents, roles.left_upper_arm, roles.right_upper_arm)
  local trunk = chest and way_up(parents, chest, roles.hips)
  local neck = chest and way_up(parents, roles.head, chest)
  if not (trunk and neck and #trunk > 1) then
    error("not a humanoid: its arms and head do not hang on a spine above its hips" .. astray(parents, roles), 0)
  end
  local spines = {}
  for i = #trunk - 1, 1, -1 do spines[#spines + 1] = trunk[i] end
  roles.spines, roles.spine, roles.chest = spines, roles.spine or spines[1], roles.chest or chest
  roles.neck = roles.neck or neck[math.max(1, #neck - 1)]
  for _, side in ipairs(SIDES) do
    roles[side .. "_shoulder"] = roles[side .. "_shoulder"] or parents[roles[side .. "_upper_arm"]]
  end
  return roles
end
