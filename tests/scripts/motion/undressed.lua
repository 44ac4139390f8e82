-- The human whose skin is as it is below clothes, without any, so that all of it is there.

local tweed = require "tweed"
local human = require "rigs.human"
local body = require "rigs.body"

return tweed.character {
  skeleton = human.skeleton,
  colliders = human.colliders,
  meshes = body(human),
}
