-- The scene of the transcripts in which scripts fail, are too slow, or are reloaded.
local tweed = require "tweed"

return tweed.scene { spawn = { { script = "rope", name = "rope" } } }
