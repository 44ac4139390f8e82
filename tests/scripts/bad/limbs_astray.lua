-- A Rigify rig of which only the bones that deform were exported: arms and legs hung on others.
local humanoid = require "rigs.humanoid"
local bones = { { name = "DEF-spine" }, { name = "DEF-spine.006", parent = "DEF-spine" } }
for _, side in ipairs { "L", "R" } do
  for _, limb in ipairs { { "upper_arm", "forearm", "hand" }, { "thigh", "shin", "foot", "toe" } } do
    local parent
    for _, part in ipairs(limb) do
      local name = ("DEF-%s.%s"):format(part, side)
      bones[#bones + 1] = { name = name, parent = parent }
      parent = name
    end
  end
end
return humanoid { skeleton = bones }
