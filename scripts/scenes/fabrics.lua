-- The fabric library: one person in a jacket of each, beside each other, in one wind.

local tweed = require "tweed"

local names = { "veil", "silk", "cotton", "tweed", "denim", "down", "leather", "rubber" }
local spawn = {}
for i, name in ipairs(names) do
  spawn[i] = { script = "characters/mannequins/" .. name, name = name, position = { 1.2 * (i - 4.5), 0, 0 } }
end

return tweed.scene {
  ground = 0,
  wind = tweed.wind { velocity = { 1, 0, .7 }, turbulence = .2, gust = .4 },
  spawn = spawn,
  camera = { target = "denim", distance = 11.5 },
}
