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

-- Who wears which fabric, with what: colors that leave the jacket to stand out, how it is made up, a face and a
-- haircut. Others wear what tweed has.
local LOOKS = {
  veil = { shirt = { .20, .24, .30 }, trousers = { .22, .25, .31 }, hair = { .12, .08, .06 }, skin = { .62, .43, .33 },
           lining = false, cut = "bun",
           face = { jaw = -1, chin = -.3, width = -.6, lips = .9, nose = -.5, nostrils = -.6, brow = -.8,
                    cheekbones = .4, eyes = .6, lids = .3, length = -.3 } },
  silk = { trousers = { .13, .12, .13 }, hair = { .07, .05, .045 }, skin = { .42, .27, .20 },
           lining = { .18, .04, .06 }, cut = "cropped",
           face = { nostrils = 1, lips = 1, mouth = .6, bridge = -.8, jaw = .5, width = .3, cheeks = .3 } },
  cotton = { shirt = { .36, .46, .58 }, trousers = { .30, .23, .17 }, hair = { .34, .22, .12 },
             lining = { .62, .58, .50 }, cut = "combed",
             face = { nose = 1, bridge = .7, jaw = -.2, length = 1, cheeks = -.4, cheekbones = .3, width = -.5,
                      temples = .6, lids = .9, folds = .5 } },
  tweed = { face = { jaw = .7, chin = .6, nose = .45, bridge = .5, brow = .6, length = .4, lids = .85 } },
  denim = { shirt = { .80, .76, .68 }, trousers = { .42, .37, .29 }, hair = { .42, .19, .09 },
            lining = { .33, .34, .38 }, stitching = { .62, .36, .12 }, cut = "tied",
            face = { jaw = -.9, chin = -.5, nose = -.8, cheekbones = .9, lids = .2, eyes = .5, lips = .4,
                     length = -.4, cheeks = .3 } },
  down = { shirt = { .75, .40, .14 }, trousers = { .16, .17, .20 }, hair = { .52, .39, .22 },
           lining = { .10, .16, .20 }, front = "closed",
           face = { width = 1, cheeks = 1, jowls = .5, chin = -.6, nose = -.2, nostrils = .5, length = -.4 } },
  leather = { shirt = { .70, .70, .70 }, trousers = { .12, .14, .20 }, hair = { .045, .04, .04 },
              skin = { .70, .50, .38 }, lining = { .09, .08, .08 }, cut = "combed",
              face = { jaw = 1, chin = 1, brow = 1, bridge = .8, cheekbones = .5, width = .3, lips = -.4 } },
  rubber = { shirt = { .78, .66, .16 }, trousers = { .28, .30, .32 }, hair = { .48, .46, .44 },
             lining = { .05, .05, .05 }, front = "closed", hood = "nape", cut = "cropped",
             face = { jowls = 1, folds = 1, bags = 1, nose = 1, nostrils = .5, lips = -.9, lids = 1, temples = .6 } },
}

local function lining_of(look)
  if look.lining == nil then return nil end
  return look.lining and { color = look.lining, roughness = .45, pattern = "satin" }
end

return function(fabric, options)
  local crowd = options and options.crowd
  local look = LOOKS[fabric] or LOOKS.tweed
  local columns, zips = crowd and 17 or 33, look.front == "closed"
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
      jacket { name = "jacket", upper = true, attach = waist, fabric = fabric, fullness = .5, gap = zips and .03 or nil,
               columns = columns, rows = crowd and 9 or 12, self_collision = crowd and 0 or nil,
               front = look.front, hood = look.hood, hood_material = false, stitching = look.stitching,
               lining = lining_of(look) },
    },
    seams = zips and { tweed.seam { "jacket", name = "zip", column = 0, to = { "jacket", column = columns - 1 },
                                    closed = true } } or nil,
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
