-- A character without cloth, which no script moves: its hand is where a client has put it.
local tweed = require "tweed"

return tweed.character {
  skeleton = tweed.skeleton { { name = "Root", position = { 0, 0, 0 } },
                              { name = "Hand", parent = "Root", position = { .5, 0, 0 } } },
}
