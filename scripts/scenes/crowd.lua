-- Two hundred people in mixed fabrics, strolling in circles and standing about.

local tweed = require "tweed"

local COLUMNS, ROWS, APART = 20, 10, 1.3
local names = { "veil", "silk", "cotton", "tweed", "denim", "down", "leather", "rubber" }
local spawn = {}
for row = 1, ROWS do
  for column = 1, COLUMNS do
    local i = #spawn + 1
    local angle = (i * 0.61803398875 % 1) * 2 * math.pi -- each faces another way
    spawn[i] = {
      script = "characters/crowd/" .. names[i % #names + 1], name = ("person_%03d"):format(i),
      position = { APART * (column - (COLUMNS + 1) / 2), 0, APART * (row - (ROWS + 1) / 2) },
      rotation = tweed.quaternion.axis_angle({ 0, 1, 0 }, angle),
      params = { clip = i % 3 == 0 and "stand" or "stroll" },
    }
  end
end

return tweed.scene {
  ground = 0,
  wind = tweed.wind { velocity = { 1, 0, .5 }, turbulence = .2, gust = .3 },
  spawn = spawn,
  camera = { target = "person_111", distance = 22 },
}
