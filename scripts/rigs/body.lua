-- A humanoid's body, for viewers to draw: a list for a character's `meshes`.
--
--   meshes = require "rigs.body"(human)
--
-- It is the human of Debian's assimp-testmodels, fitted to the skeleton (body_human.lua), with eyes; without that file,
-- a mannequin lofted over the flesh (body_loft.lua). lofted = true: the mannequin in any case. face: a function of
-- rigs/face.lua, which the human has. color: of the skin; hair: of the brows. Either has its skin
-- pulled into the flesh, so that cloth which collides with the flesh lies outside the skin; bare = true: not the
-- human's hips and thighs, for one who wears no cloth there. fists = true: the human's hands are fists.

local tweed = require "tweed"
local read_options = require "rigs.options"
local body_human = require "rigs.body_human"
local body_loft = require "rigs.body_loft"
local eyes = require "rigs.eyes"

-- How far, by role. Shoulders, hands, feet and the head have no flesh that is like them; a mannequin's chest and arms
-- are in it already.
local HUMAN = { hips = 1, chest = .6, upper_arm = .5, lower_arm = .6, upper_leg = 1, lower_leg = 1 }
local BARE = { chest = .6, upper_arm = .5, lower_arm = .6 } -- hips and thighs keep their shape
local MANNEQUIN = { hips = 1, upper_leg = 1, lower_leg = 1 }

local function tuck_of(man, by_role)
  local shares = {}
  for _, spine in ipairs(man.bone.spines) do shares[spine] = spine ~= man.bone.chest and 1 or 0 end
  for role, share in pairs(by_role) do
    for _, name in ipairs { role, "left_" .. role, "right_" .. role } do
      if man.bone[name] then shares[man.bone[name]] = share end
    end
  end
  return { shapes = man.colliders, bones = shares, blend = .012 }
end

return function(man, options)
  local all = read_options(options, { "lofted", "face", "color", "hair", "bare", "fists" })
  local has_file, reason = tweed.has_asset(body_human.FILE)
  if has_file and not all.lofted then
    local skin = body_human.fit(man, tuck_of(man, all.bare and BARE or HUMAN), all.fists)
    if all.face then skin = skin:reshaped(all.face) end
    if all.color then skin = skin:with { material = { color = all.color } } end
    return { skin, table.unpack(eyes(man, skin, { face = all.face, color = all.color, hair = all.hair })) }
  end
  if not has_file then tweed.log("info", "a mannequin takes the body's place: " .. reason) end
  return { body_loft(man, tuck_of(man, MANNEQUIN)) }
end
