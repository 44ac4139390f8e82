-- tweed.quaternion against what it must be; a failed assert is a finding.
local tweed = require "tweed"
local q = tweed.quaternion

local function near(a, b)
  assert(#a == #b)
  for i = 1, #a do
    assert(math.abs(a[i] - b[i]) < 1e-12, ("%d: %.15g is not %.15g"):format(i, a[i], b[i]))
  end
end

local half = math.sqrt(.5)
local quarter_x, quarter_y = { half, 0, 0, half }, { 0, half, 0, half }

near(q.axis_angle({ 0, 2, 0 }, math.pi / 2), quarter_y)
near(q.axis_angle({ 0, 0, 0 }, 1), { 0, 0, 0, 1 })
near(q.rotate(quarter_y, { 0, 0, 1 }), { 1, 0, 0 }) -- +Z, the way a character faces, turned to +X
near(q.rotate(quarter_x, { 0, 1, 0 }), { 0, 0, 1 })

-- the last one turns first
near(q.rotate(q.multiply(quarter_y, quarter_x), { 0, 1, 0 }), { 1, 0, 0 })
near(q.multiply(quarter_x, q.inverse(quarter_x)), { 0, 0, 0, 1 })
near(q.multiply(quarter_x, quarter_y, { 0, 0, 0, 1 }), q.multiply(quarter_x, quarter_y))

-- fixed axes, in the order of the letters
near(q.euler(.3, .5, .7), q.multiply(q.axis_angle({ 0, 0, 1 }, .7), q.axis_angle({ 0, 1, 0 }, .5),
  q.axis_angle({ 1, 0, 0 }, .3)))
near(q.euler(.3, .5, .7, "zyx"), q.multiply(q.axis_angle({ 1, 0, 0 }, .3), q.axis_angle({ 0, 1, 0 }, .5),
  q.axis_angle({ 0, 0, 1 }, .7)))

near(q.slerp({ 0, 0, 0, 1 }, quarter_y, .5), q.axis_angle({ 0, 1, 0 }, math.pi / 4))
near(q.slerp({ 0, 0, 0, 1 }, { 0, -half, 0, -half }, .5), q.axis_angle({ 0, 1, 0 }, math.pi / 4)) -- the short way
near(q.slerp(quarter_x, quarter_y, 0), quarter_x)
near(q.slerp(quarter_x, quarter_y, 1), quarter_y)
near(q.normalize { 0, 0, 3, 4 }, { 0, 0, .6, .8 })
near(q.normalize { 0, 0, 0, 0 }, { 0, 0, 0, 1 })

local directions = { { 1, 0, 0 }, { 0, -1, 0 }, { 0, 0, 1 }, { .6, .8, 0 }, { -1, 0, 0 }, { 0, .6, -.8 } }
for _, from in ipairs(directions) do
  for _, to in ipairs(directions) do
    near(q.rotate(q.between(from, to), from), to)
  end
end

for _, bad in ipairs { { 1, 2, 3 }, { 1, 2, 3, "four" }, {} } do
  assert(not pcall(q.normalize, bad))
end
assert(not pcall(q.euler, 1, 2, 3, "xxy"))

return tweed.scene {}
