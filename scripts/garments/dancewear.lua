-- A dancer's body with what she wears beside her skirt: a leotard of the given colour, slippers of satin on bare feet,
-- and her hair in a bun. Returns the meshes.

local body = require "rigs.body"
local bodysuit = require "garments.bodysuit"
local shoes = require "garments.shoes"
local hair = require "garments.hair"
local new_face = require "rigs.face"

return function(rig, leotard)
  local face = new_face {
    body = rig, jaw = -.9, width = -.4, nose = -.3, nostrils = -.6, lips = .7, cheekbones = .7, brow = -.6,
    length = .2, eyes = .2,
  }
  local meshes = body(rig, { face = face, color = { .62, .44, .34 }, hair = { .08, .05, .04 } })
  for _, worn in ipairs {
    bodysuit { skin = meshes[1], name = "leotard", color = leotard, sleeves = .97, neck = .085 },
    hair { color = { .12, .075, .05 }, cut = "bun", face = face },
    shoes { body = rig, name = "slippers", color = { .40, .07, .09 }, pattern = "satin", roughness = .35, sole = .008 },
  } do meshes[#meshes + 1] = worn end
  return meshes
end
