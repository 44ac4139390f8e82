-- The render meshes of a jacket that hangs from the shoulders: its cloth with all that is sewn to it, its lining, its
-- buttons, and the hood on its back.
--
--   cloth.meshes = require "garments.jacket_mesh"(body, cloth, { front = "lapels", hood = "hood" })
--
-- hood_material: the hood's, or false: that of the jacket.
-- stitching: the color of a thread that one sees.
-- lining: a material, or false for a jacket without, of one sheer layer, under which one sees what is worn.

local tweed = require "tweed"
local new_cage = require "garments.cage"
local shape = require "garments.jacket_shape"
local trim = require "garments.jacket_trim"

local BUTTONS = { color = { .20, .13, .08 }, roughness = .35, pattern = "smooth" }

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

  local name = cloth.name
  local outside = tweed.surface(body:surface { cloth = cloth, sides = "outer" })
  outside.name = name
  if not options.lining then outside.covers = nil end
  local meshes = {
    tweed.mesh(outside),
    sewn:mesh(name .. "_sewn", nil, { cloth = cloth, sides = "outer" }),
    collar:mesh(name .. "_collar", nil, { cloth = cloth }),
    buttons:mesh(name .. "_buttons", BUTTONS, { cloth = cloth, sides = "outer", levels = 1 }),
  }
  if options.stitching then
    local thread = new_cage(.0006)
    trim.stitching(thread, ground, options.front, 7 + cloth.rows)
    meshes[#meshes + 1] = thread:mesh(name .. "_stitching",
      { color = options.stitching, roughness = .8, pattern = "plain" }, { cloth = cloth, sides = "outer", levels = 1 })
  end
  if options.lining then
    local lining = tweed.surface(body:surface { cloth = cloth, sides = "inner" })
    lining.covers = nil -- the cloth hides what is below
    lining.name, lining.material = name .. "_lining", options.lining
    meshes[#meshes + 1] = tweed.mesh(lining)
  end
  if options.hood then
    trim.hood(hood, ground, man, options.hood)
    meshes[#meshes + 1] = hood:mesh(name .. "_hood", options.hood_material or nil, { cloth = cloth })
  end
  return meshes
end
