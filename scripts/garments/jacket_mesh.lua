-- The render meshes of a jacket that hangs from the shoulders: its cloth with all that is sewn to it, its lining, its
-- buttons, and the hood on its back.
--
--   cloth.meshes = require "garments.jacket_mesh"(body, cloth, { front = "lapels", hood = "hood" })

local tweed = require "tweed"
local new_cage = require "garments.cage"
local shape = require "garments.jacket_shape"
local trim = require "garments.jacket_trim"

local LINING = { color = { .22, .12, .11 }, roughness = .4, pattern = "satin" }
local BUTTONS = { color = { .20, .13, .08 }, roughness = .35, pattern = "smooth" }
local HOOD = { color = { .30, .31, .33 }, roughness = .95, pattern = "plain" }

local function add(meshes, name, surface, material)
  surface.name, surface.material = name, material
  meshes[#meshes + 1] = tweed.mesh(surface)
end

-- name: of the garment, with which the meshes' begin.
return function(man, cloth, options)
  local body, ground, sleeves = shape(man, cloth, options.front)
  local sewn, collar, buttons, hood = new_cage(.0028), new_cage(.0035), new_cage(.004), new_cage(.004)
  if options.front == "lapels" then
    trim.lapels(sewn, ground)
    trim.collar(collar, ground)
    trim.breast_pocket(sewn, ground)
    trim.front_buttons(buttons, ground)
  else
    trim.stand_collar(collar, ground)
  end
  trim.pockets(sewn, ground)
  trim.cuff_buttons(buttons, body, sleeves)

  local meshes, name = {}, cloth.name
  add(meshes, name, tweed.surface(body:surface { cloth = cloth, sides = "outer" }))
  add(meshes, name .. "_sewn", tweed.surface(sewn:surface { cloth = cloth, sides = "outer" }))
  add(meshes, name .. "_collar", tweed.surface(collar:surface { cloth = cloth }))
  local lining = tweed.surface(body:surface { cloth = cloth, sides = "inner" })
  lining.covers = nil -- the cloth hides what is below
  add(meshes, name .. "_lining", lining, LINING)
  add(meshes, name .. "_buttons", tweed.surface(buttons:surface { cloth = cloth, sides = "outer", levels = 1 }),
    BUTTONS)
  if options.hood then
    trim.hood(hood, ground, man, options.hood)
    add(meshes, name .. "_hood", tweed.surface(hood:surface { cloth = cloth, sides = "outer" }), HOOD)
  end
  return meshes
end
