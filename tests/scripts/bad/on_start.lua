local tweed = require "tweed"

return tweed.scene {
  spawn = {
    { script = "helpers/tall", name = "alan" },
    { script = "helpers/tall", name = "barry", params = { height = "tall" } },
  },
  on_start = function()
    tweed.spawn { script = "characters/wak" }
  end,
}
