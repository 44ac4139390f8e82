local tweed = require "tweed"
local body = require "helpers.body"

local function build()
  body.fail()
end

build()
return tweed.character {}
