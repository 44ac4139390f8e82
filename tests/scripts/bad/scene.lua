local tweed = require "tweed"

return tweed.scene {
  ground = true,
  gravity = { 0, -981, 0 },
  wind = tweed.wind { velocity = { 2, 0, 1 }, turbulance = .3, gust = -1 },
  camera = { target = "alna", distance = 0 },
  spawn = {
    { script = "characters/wak", name = "alan" },
    { name = "barry" },
    { script = "/etc/passwd", name = "eve" },
    { script = "helpers/half", name = "alan", params = { size = 1 / 0 } },
    { script = "helpers/half", position = { 0, 0 } },
    "characters/wake",
  },
}
