-- One who does no harm, and counts the ticks it gets.
local tweed = require "tweed"

return tweed.character {
  skeleton = tweed.skeleton { { name = "root" } },
  on_spawn = function(self) self.ticks = 0 end,
  on_tick = function(self) self.ticks = self.ticks + 1 end,
  commands = { count = { run = function(self) return self.ticks end } },
}
