-- What a man wears below his jacket, and his hair: shirt, trousers, belt, socks, shoes, for a character's `meshes`.
--
--   meshes = suit { skin = require "rigs.body"(human) }      -- skin: more meshes, of the body
--   meshes = suit { body = boxer, trousers = { .1, .1, .3 }, shirt = false }
--
-- The character has the bones of garments/jacket_upper.lua. Each of the parts takes a color, or false to leave it out.
-- Of the first of `skin` there is what is bare: below shirt and trousers it would come through where a limb bends.
-- sleeves: whole ones of the shirt, cut out of the first of `skin`, for a jacket that one sees through.
-- cut: of the hair, as garments/hair.lua has it; face: a function of rigs/face.lua that the skin was reshaped by.

local read_options = require "rigs.options"
local vector = require "rigs.vector"
local bodysuit = require "garments.bodysuit"

local own = {
  "body", { "skin", {} }, { "shirt", { .86, .87, .88 } }, { "trousers", { .17, .17, .19 } }, { "pattern", "twill" },
  { "belt", { .10, .065, .045 } }, { "socks", { .05, .05, .055 } }, { "shoes", { .13, .085, .06 } },
  { "hair", { .16, .11, .075 } },
  { "cut", "parted" }, "face", "sleeves",
}

-- Below a jacket that one sees through, the skin lies deeper between neck and shoulder and over the shoulder blades,
-- where it would come out of shirt and jacket. On the left, m from the arm's joint at size 1: where it lies deepest,
-- how far it is moved there, and how far from there that fades.
local SUNK = {
  { at = { -.062, .040, -.015 }, by = { 0, -.026, 0 }, spread = { .065, .060, .095 } },
  { at = { -.118, .055, -.045 }, by = { 0, -.014, .006 }, spread = { .030, .030, .045 } },
  { at = { -.050, -.025, -.110 }, by = { 0, 0, .024 }, spread = { .075, .080, .075 } },
}
local DEEPER = { -- below the sleeves, at the armholes in front and behind
  SUNK[1], SUNK[2], SUNK[3],
  { at = { -.020, -.045, .045 }, by = { -.010, 0, -.026 }, spread = { .065, .070, .055 } },
  { at = { -.015, -.055, -.060 }, by = { -.010, 0, .026 }, spread = { .060, .070, .055 } },
}

local function sunk(man, hollows)
  man = man or require "rigs.human"
  local left, right = (man:at "left_upper_arm"), (man:at "right_upper_arm")
  return function(place)
    local is_left = place[1] > (left[1] + right[1]) / 2
    local off = vector.scale(vector.subtract(place, is_left and left or right), 1 / man.size)
    if not is_left then off[1] = -off[1] end
    local new = { table.unpack(place) }
    for _, hollow in ipairs(hollows) do
      local far = 0
      for axis = 1, 3 do far = far + ((off[axis] - hollow.at[axis]) / hollow.spread[axis]) ^ 2 end
      if far < 6 then new = vector.add(new, vector.scale(hollow.by, man.size * math.exp(-far))) end
    end
    return new
  end
end

local SOCKS, SLEEVES = -1.5, .8 -- the level at which socks begin; how far down the arms jacket and shirt hide the skin

local function socks(all)
  return bodysuit { body = all.body, skin = all.skin[1], name = "socks", color = all.socks, top = SOCKS, legs = 2,
                    out = .001 }
end

local function bare(all, skin)
  return bodysuit { body = all.body, skin = skin, name = "body", bare = true, sleeves = SLEEVES,
                    legs = all.shoes and all.socks and 2 or .9 }
end

return function(options)
  local all = read_options(options, own)
  local meshes = { table.unpack(all.skin) }
  if all.sleeves and all.shirt and all.skin[1] then
    local skin = all.skin[1]:reshaped(sunk(all.body, SUNK))
    meshes[1] = skin:reshaped(sunk(all.body, DEEPER))
    meshes[#meshes + 1] = bodysuit {
      body = all.body, skin = skin, name = "sleeves", color = all.shirt, roughness = .8, out = .003,
      sleeves = .97, bottom = .2,
    }
  end
  if all.skin[1] and all.shirt and all.trousers then meshes[1] = bare(all, meshes[1]) end
  if all.skin[1] and all.shoes and all.socks then meshes[#meshes + 1] = socks(all) end
  local trousers
  for _, part in ipairs { "shirt", "trousers", "belt", "shoes", "hair" } do
    if all[part] then
      local made = { body = all.body, color = all[part] }
      if part == "trousers" then made.pattern = all.pattern end
      if part == "belt" then made.over = trousers end
      if part == "hair" then made.cut, made.face = all.cut, all.face end
      local worn = { require("garments." .. part)(made) }
      if part == "trousers" then trousers = worn[1] end
      table.move(worn, 1, #worn, #meshes + 1, meshes)
    end
  end
  return meshes
end
