local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  clips = {
    neither = tweed.clip { loop_blend = .3 },
    both = tweed.clip { file = "BVH/01_01.bvh", sample = function() end },
    backwards = tweed.clip { file = "BVH/01_01.bvh", from = 2, to = 1 },
    unknown = tweed.clip { fiel = "BVH/01_01.bvh" },
    endless = tweed.clip { sample = function() return {} end },
    turned = tweed.clip { duration = 1, sample = function() return {} end, turns = {} },
    bent = tweed.clip { file = "BVH/01_01.bvh", turns = { LeftArm = { 0, 0, 0, 0 } } },
    lost = tweed.clip { file = "BVH/01_01.bvh", turns = { LeftArn = { 0, 0, 0, 1 } } },
    long = tweed.clip { duration = 600, rate = 240, sample = function() return {} end },
  },
}
