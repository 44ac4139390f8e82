-- A character of one bone that attacks in each tick.
local tweed = require "tweed"

return function(on_tick)
  return tweed.character {
    skeleton = tweed.skeleton { { name = "root" } },
    on_tick = on_tick,
    commands = { greet = { run = function() return "still here" end } },
  }
end
