local tweed = require "tweed"

return tweed.scene {
  spawn = { { script = "helpers/tall", name = "alan" } },
  on_start = function() tweed.spawn { script = "helpers/tall", name = "alan" } end,
}
