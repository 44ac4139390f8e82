-- The human in the dancer's skirt of springs, in whole recordings of motion capture.

local tweed = require "tweed"
local human = require "rigs.human"
local pose = require "rigs.pose"
local skirt = require "garments.skirt"

-- The actor is slimmer than the human's flesh: at his sides, his forearms would be within the hips.
local arms_out = {}
for side, sign in pairs { left = 1, right = -1 } do
  arms_out[human.bone[side .. "_upper_arm"]] = pose.turn(pose.Z, sign * 15)
end

return tweed.character {
  skeleton = human.skeleton,
  clips = {
    jump = require "rigs.clips".jump,
    climb = tweed.clip { file = "BVH/01_03.bvh", from = .1, to = 37.5, turns = arms_out },
  },
  colliders = human.colliders,
  garments = {
    skirt { name = "skirt", fabric = "cotton", solver = "mass_spring", columns = 32, rows = 12, hem = -1,
            max_distance = { top = 0, bottom = .35, curve = .8 } },
  },
}
