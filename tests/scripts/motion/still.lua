-- Three garments that do not meet each other, nor themselves, in still poses after a shake.

local cape = require "garments.cape"
local jacket = require "garments.jacket"
local skirt = require "garments.skirt"

return require "still_body" {
  jacket { name = "jacket", open = "front", self_collision = 0 },
  skirt { name = "skirt", self_collision = 0 },
  cape { name = "cape", self_collision = 0 },
}
