local tweed = require "tweed"

return tweed.scene {
  ground = false,
  gravity = { 0, -1.62, 0 },
  wind = { velocity = { 2, 0, 1 }, turbulence = .3, gust = .5 },
  spawn = {
    { script = "everything", name = "alan", position = { 1, 0, 0 }, params = { given = { 1, 2, { deep = true } } } },
    { script = "everything", rotation = { 0, 1, 0, 0 } },
    { script = "everything" },
  },
  camera = { target = "alan", distance = 3, height = 1 },
  on_start = function(scene) tweed.log("info", scene.name) end,
}
