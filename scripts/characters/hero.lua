-- A man in a suit that fits like a skin, boots and a cape.

local tweed = require "tweed"
local human = require "rigs.human"
local body = require "rigs.body"
local new_face = require "rigs.face"
local gait = require "rigs.gait"
local loop = require "rigs.loop"
local cape = require "garments.cape"
local bodysuit = require "garments.bodysuit"
local hair = require "garments.hair"
local shoes = require "garments.shoes"

local colliders = { table.unpack(human.colliders) }
for _, shape in ipairs(require "rigs.padded"(human).colliders) do
  if shape.name:find "^hand" then colliders[#colliders + 1] = shape end -- the cape meets his hands, too
end
local face = new_face { jaw = 1, chin = .9, cheekbones = .6, nose = .4, bridge = .6, brow = .5, length = .4 }
local meshes = body(human, { face = face, color = { .84, .64, .53 }, hair = { .05, .04, .035 } })
local RED = { .34, .03, .04 }
for _, worn in ipairs {
  bodysuit { skin = meshes[1], name = "suit", color = { .05, .09, .24 }, sleeves = 1, legs = 1, neck = .062 },
  bodysuit { skin = meshes[1], name = "boots", color = RED, top = -1.3, legs = 1.02, out = .0045, roughness = .45 },
  hair { color = { .06, .045, .04 }, cut = "combed", face = face },
  bodysuit { skin = meshes[1], name = "trunks", color = RED, top = .24, out = .0035, roughness = .5 },
  shoes { color = RED },
} do meshes[#meshes + 1] = worn end

return tweed.character {
  skeleton = human.skeleton,
  clips = { stand = gait.stand(), walk = gait.walk { speed = 1.4 }, run = gait.run { speed = 5 } },
  colliders = colliders,
  meshes = meshes,
  garments = { -- free to fly up to level
    cape { name = "cape", fabric = "silk", columns = 19, fullness = .3,
           max_distance = { top = 0, bottom = 1.4, curve = .8 },
           lining = { color = { .88, .62, .30 }, roughness = .45, pattern = "satin" } },
  },
  on_spawn = function(self, params) self:play(params.clip or "stand", { loop = true }) end,
  commands = {
    stand = { help = "stand and face it", run = loop "stand" },
    walk = { help = "walk", run = loop "walk" },
    run = { help = "run", run = loop "run" },
  },
}
