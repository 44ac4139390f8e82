-- The scene of those transcripts that need more than the shipped one: what fails, what is too slow, what is saved anew.
local tweed = require "tweed"

return tweed.scene { spawn = { { script = "rope", name = "rope" } } }
