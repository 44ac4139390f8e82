-- A dancer's body with what she wears beside her skirt: tights, a leotard of the given colour, slippers, and her hair
-- in a bun. Returns the meshes.

local body = require "rigs.body"
local bodysuit = require "garments.bodysuit"
local hair = require "garments.hair"

return function(rig, leotard)
  local meshes = body(rig)
  for _, worn in ipairs {
    bodysuit { skin = meshes[1], name = "tights", color = { .72, .56, .50 }, top = .3, legs = 1, out = .001 },
    bodysuit { skin = meshes[1], name = "leotard", color = leotard, sleeves = .97, neck = .085 },
    bodysuit { skin = meshes[1], name = "slippers", color = { .74, .50, .46 }, top = -1.97, legs = 2, out = .003 },
    hair { color = { .12, .075, .05 }, bun = true },
  } do meshes[#meshes + 1] = worn end
  return meshes
end
