-- A garment that keeps its layers apart, in still poses after a shake.

local skirt = require "garments.skirt"

return require "still_body" { skirt { name = "skirt" } }
