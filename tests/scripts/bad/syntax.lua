local tweed = require "tweed"

return tweed.character {
  skeleton = tweed.import "BVH/01_01.bvh"
  garments = {},
}
