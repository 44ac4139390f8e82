local tweed = require "tweed"

return tweed.scene { spawn = {
  { script = "characters/mast", name = "one" },
  { script = "characters/mast", name = "two", position = { 2, 0, -1 }, rotation = { 0, .7071068, 0, .7071068 } },
} }
