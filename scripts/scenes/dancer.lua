-- A dancer whose skirt is a net of springs (solver = "mass_spring"). dancer.md has its figures.

local tweed = require "tweed"

return tweed.scene {
  ground = 0,
  spawn = { { script = "characters/spring_dancer", name = "vera" } },
  camera = { target = "vera", distance = 3.2 },
}
