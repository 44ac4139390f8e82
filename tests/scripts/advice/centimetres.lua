local tweed = require "tweed"

return tweed.character {
  skeleton = tweed.skeleton {
    { name = "Hips", position = { 0, 95, 0 } },
    { name = "Head", parent = "Hips", position = { 0, 70, 0 } },
  },
}
