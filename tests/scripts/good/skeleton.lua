-- What helpers read of a skeleton.
local tweed = require "tweed"

local quarter_y = tweed.quaternion.axis_angle({ 0, 1, 0 }, math.pi / 2)
local skeleton = tweed.skeleton {
  { name = "Hips", position = { 0, 1, 0 }, rotation = quarter_y },
  { name = "Head", parent = "Hips", position = { 0, .5, .25 } },
}

local function near(a, b)
  for i = 1, #b do assert(math.abs(a[i] - b[i]) < 1e-6) end
end

assert(#skeleton.bones == 2)
assert(skeleton.bones[1].name == "Hips" and skeleton.bones[1].parent == nil)
assert(skeleton.bones[2].name == "Head" and skeleton.bones[2].parent == "Hips")
near(skeleton.bones[2].position, { 0, .5, .25 })
near(skeleton.bones[1].rotation, quarter_y)

local position, rotation = skeleton:rest("Head")
near(position, { .25, 1.5, 0 })
near(rotation, quarter_y)
near(skeleton:rest("Hips"), { 0, 1, 0 })

assert(skeleton:has("Head") and not skeleton:has("head"))
assert(skeleton:tip("Head") == nil)
assert(math.abs(skeleton.height - .5) < 1e-6)

local fine, message = pcall(skeleton.rest, skeleton, "Haed")
assert(not fine and message:find('no bone "Haed"; did you mean "Head"?', 1, true))
assert(not pcall(function() return skeleton.legs end))

return tweed.character { skeleton = skeleton }
