-- Some editors begin a file with a byte order mark; lines are counted all the same.
local tweed = require "tweed"

return tweed.fabric {
  name = "marked", densty = .2,
}
