-- A mast of three bones that bows and turns, with a banner, a rope, a bell, and a collider of each shape.
local tweed = require "tweed"
local quaternion = tweed.quaternion

local points = {} -- 5 rows and 6 columns, 8 cm apart
for row = 0, 4 do
  for column = 0, 5 do points[#points + 1] = { .1 + column * .08, 1.5 - row * .08, .02 } end
end

return tweed.character {
  skeleton = tweed.skeleton {
    { name = "foot", position = { 0, .1, 0 } },
    { name = "mast", parent = "foot", position = { 0, .6, 0 }, rotation = { 0, .3826834, 0, .9238795 } },
    { name = "top", parent = "mast", position = { 0, .8, 0 }, rotation = { 0, -.3826834, 0, .9238795 } },
  },
  colliders = {
    tweed.capsule { name = "pole", bone = "mast", to = { 0, .7, 0 }, radius = .04, radius_end = .03 },
    tweed.sphere { name = "knob", bone = "top", center = { 0, .06, 0 }, radius = .05 },
    tweed.ellipsoid { name = "base", bone = "foot", radii = { .2, .05, .1 } },
    tweed.plane { name = "wall", normal = { 0, 0, 1 }, offset = -2 },
  },
  garments = {
    tweed.cloth { name = "banner", fabric = "silk", rows = 5, columns = 6, positions = points, attach = "top",
                  max_distance = { top = 0, bottom = .3 }, bones = { prefix = "banner_" } },
    tweed.chain { name = "rope", bone = "top", fabric = "silk",
                  points = { { -.1, 0, 0 }, { -.1, -.2, 0 }, { -.1, -.4, 0 } } },
    tweed.pendulum { name = "bell", bone = "top", fabric = "silk", rest = { 0, -.1, .12 } },
  },
  clips = {
    bow = tweed.clip { duration = 2, sample = function(t)
      local angle = math.pi * t
      return {
        mast = { rotation = quaternion.axis_angle({ 1, 0, 0 }, .4 * math.sin(angle)) },
        top = { rotation = quaternion.axis_angle({ 0, 1, 0 }, .5 * math.sin(angle)) },
        root = { x = .3 * math.sin(angle), z = 0, heading = 0 },
      }
    end },
  },
  on_spawn = function(self) self:play("bow", { loop = true }) end,
}
