local tweed = require "tweed"
local body = require "helpers.body"

local points = body.points(3, 4)
for _, point in ipairs(points) do
  for axis = 1, 3 do point[axis] = point[axis] * 1000 end
end

return tweed.character {
  skeleton = body.skeleton(),
  colliders = {
    tweed.ellipsoid { name = "pelvis", bone = "Hips", center = { 0, 120, 300 }, radii = { 12, .1, 14 } },
  },
  garments = {
    tweed.cloth { name = "cape", fabric = "silk", rows = 3, columns = 4, attach = "Spine", positions = points,
                  max_distance = { 0, 0, 0, 0, .1, .1, .1, .1, 2000, .2, .2, 3000 } },
  },
}
