-- What a man wears below his jacket, and his hair: shirt, trousers, belt, shoes, for a character's `meshes`.
--
--   meshes = suit { skin = require "rigs.body"(human) }      -- skin: more meshes, of the body
--   meshes = suit { body = boxer, trousers = { .1, .1, .3 }, shirt = false }
--
-- The character has the bones of garments/jacket_upper.lua. Each of the parts takes a color, or false to leave it out.
-- sleeves: whole ones of the shirt, cut out of the first of `skin`, for a jacket that one sees through.
-- cut: of the hair, as garments/hair.lua has it; face: a function of rigs/face.lua that the skin was reshaped by.

local read_options = require "rigs.options"

local own = {
  "body", { "skin", {} }, { "shirt", { .86, .87, .88 } }, { "trousers", { .17, .17, .19 } }, { "pattern", "twill" },
  { "belt", { .10, .065, .045 } }, { "shoes", { .13, .085, .06 } }, { "hair", { .16, .11, .075 } },
  { "cut", "parted" }, "face", "sleeves",
}

return function(options)
  local all = read_options(options, own)
  local meshes = { table.unpack(all.skin) }
  if all.sleeves and all.shirt and all.skin[1] then
    meshes[#meshes + 1] = require "garments.bodysuit" {
      body = all.body, skin = all.skin[1], name = "sleeves", color = all.shirt, roughness = .8, out = .003,
      sleeves = .97,
    }
  end
  for _, part in ipairs { "shirt", "trousers", "belt", "shoes", "hair" } do
    if all[part] then
      local made = { body = all.body, color = all[part] }
      if part == "trousers" then made.pattern = all.pattern end
      if part == "hair" then made.cut, made.face = all.cut, all.face end
      for _, mesh in ipairs { require("garments." .. part)(made) } do meshes[#meshes + 1] = mesh end
    end
  end
  return meshes
end
