local tweed = require "tweed"
local body = require "helpers.body"

local function turned(q)
  return tweed.clip {
    duration = 1,
    sample = function(t)
      if t < .5 then return { Spine = { rotation = { 0, 0, 0, 1 } } } end
      return q
    end,
  }
end

return tweed.character {
  skeleton = body.skeleton(),
  clips = {
    too_short = turned { Spine = { rotation = { 0, 0, 0, 0 } } },
    no_table = turned(nil),
    no_rotation = turned { Spine = { 0, 0, 0, 1 } },
    misspelt = turned { bones = { Spine = { rotaton = { 0, 0, 0, 1 } } } },
    root = turned { root = { x = "far" } },
    bone = turned { Spien = { rotation = { 0, 0, 0, 1 } } },
  },
}
