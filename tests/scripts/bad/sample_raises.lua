local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  clips = {
    walk = tweed.clip {
      duration = 1,
      sample = function(t)
        return { Spine = { rotation = { 0, 0, 0, t.x } } }
      end,
    },
  },
}
