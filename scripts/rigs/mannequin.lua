-- Someone to show a fabric on: a person in a whole jacket of it, standing or walking.
--
--   return require "rigs.mannequin" "silk"                        -- a whole character's file
--   return require "rigs.mannequin" ("silk", { crowd = true })    -- a coarser jacket that may pass through itself: a
--                                                                 -- tenth of the cost

local tweed = require "tweed"
local human = require "rigs.human"
local body = require "rigs.body"
local new_face = require "rigs.face"
local gait = require "rigs.gait"
local loop = require "rigs.loop"
local jacket = require "garments.jacket"
local jacket_upper = require "garments.jacket_upper"
local suit = require "garments.suit"
local tailor = require "garments.tailor"

-- Who wears which fabric, with what: colors that leave the jacket to stand out, a face and a haircut. Others wear what
-- tweed has.
local LOOKS = {
  veil = { shirt = { .20, .24, .30 }, trousers = { .22, .25, .31 }, hair = { .12, .08, .06 }, skin = { .62, .43, .33 },
           lining = false, cut = "bun", face = { jaw = -.8, lips = .5, nose = -.3, nostrils = -.4, brow = -.5 } },
  silk = { trousers = { .13, .12, .13 }, hair = { .07, .05, .045 }, skin = { .42, .27, .20 },
           lining = { .18, .04, .06 }, cut = "cropped", face = { nostrils = .7, lips = .6, bridge = -.5, jaw = .2 } },
  cotton = { shirt = { .36, .46, .58 }, trousers = { .30, .23, .17 }, hair = { .34, .22, .12 },
             lining = { .62, .58, .50 }, cut = "combed", face = { nose = .5, jaw = .4, length = .5, cheeks = -.4 } },
  tweed = { face = { jaw = .45, chin = .35, nose = .35, bridge = .35, length = .35, lids = .8 } },
  denim = { shirt = { .80, .76, .68 }, trousers = { .42, .37, .29 }, hair = { .42, .19, .09 },
            lining = { .33, .34, .38 }, cut = "tied", face = { jaw = -.6, nose = -.5, cheekbones = .5, lids = .5 } },
  down = { shirt = { .75, .40, .14 }, trousers = { .16, .17, .20 }, hair = { .52, .39, .22 },
           lining = { .10, .16, .20 }, front = "closed", face = { width = .7, cheeks = .7, chin = -.3 } },
  leather = { shirt = { .70, .70, .70 }, trousers = { .12, .14, .20 }, hair = { .045, .04, .04 },
              skin = { .70, .50, .38 }, lining = { .09, .08, .08 },
              cut = "combed", face = { jaw = .8, chin = .6, brow = .5, bridge = .4 } },
  rubber = { shirt = { .78, .66, .16 }, trousers = { .28, .30, .32 }, hair = { .48, .46, .44 },
             lining = { .05, .05, .05 }, cut = "cropped", face = { jowls = .8, nose = .6, lips = -.4, lids = .9 } },
}

local function lining_of(look)
  if look.lining == nil then return nil end
  return look.lining and { color = look.lining, roughness = .45, pattern = "satin" }
end

return function(fabric, options)
  local crowd = options and options.crowd
  local look = LOOKS[fabric] or LOOKS.tweed
  local _, waist = tailor.waist(human, .251) -- shoulders would calm the cloth, so that fabrics differ less
  local face = new_face(look.face)
  local skin = body(human, { face = face, color = look.skin, hair = look.hair })
  return tweed.character {
    skeleton = human.skeleton,
    clips = { stand = gait.stand(), walk = gait.walk(), run = gait.run { speed = 4 },
              stroll = crowd and gait.walk { circle = 2.5 } or nil }, -- a crowd stays together
    colliders = human.clothed,
    meshes = suit { skin = skin, shirt = look.shirt, trousers = look.trousers, hair = look.hair, cut = look.cut,
                    face = face, sleeves = look.lining == false },
    driven = jacket_upper(),
    garments = {
      jacket { name = "jacket", upper = true, attach = waist, fabric = fabric, fullness = .5,
               columns = crowd and 17 or 33, rows = crowd and 9 or 12, self_collision = crowd and 0 or .02,
               front = look.front, lining = lining_of(look) },
    },
    on_spawn = function(self, params)
      local clip = params.clip or "stand"
      self:play(clip, { loop = true, at = clip == "stand" and 0 or tweed.random() })
    end,
    commands = {
      stand = { help = "stand still", run = loop "stand" },
      walk = { help = "walk on", run = loop "walk" },
      run = { help = "run on", run = loop "run" },
    },
  }
end
