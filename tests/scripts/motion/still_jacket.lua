-- A garment that keeps its layers apart, in still poses after a shake.

local jacket = require "garments.jacket"

return require "still_body" { jacket { name = "jacket", open = "front" } }
