-- A garment that keeps its layers apart, in still poses after a shake.

local cape = require "garments.cape"

return require "still_body" { cape { name = "cape" } }
