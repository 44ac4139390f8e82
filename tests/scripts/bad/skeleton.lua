local tweed = require "tweed"

return tweed.character {
  skeleton = tweed.skeleton {
    { name = "Hips" },
    { name = "Spine", parent = "Hipps" },
    { name = "Spine", parent = "Hips" },
    { name = "Neck", parent = "Head" },
    { name = "Head", parent = "Neck" },
    { parent = "Hips", positon = { 0, 1, 0 } },
    { name = "Arm", parent = "Hips", rotation = { 0, 0, 0, 0 } },
  },
  colliders = {
    tweed.sphere { name = "head", bone = "unknown while the skeleton is wrong", radius = 20 },
  },
}
