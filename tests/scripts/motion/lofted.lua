-- The mannequin that takes a body's place where there is no file, with a tassel.
local tweed = require "tweed"
local human = require "rigs.human"
local body = require "rigs.body"

return tweed.character {
  skeleton = human.skeleton,
  colliders = human.colliders,
  meshes = body(human, { lofted = true }),
  garments = { tweed.pendulum { name = "tassel", bone = "Head", rest = { 0, -.1, 0 }, fabric = "silk" } },
}
