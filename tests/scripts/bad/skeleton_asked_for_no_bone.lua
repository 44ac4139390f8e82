local tweed = require "tweed"
local body = require "helpers.body"

local skeleton = body.skeleton()
local position = skeleton:rest("Hip")

return tweed.character { skeleton = skeleton, clips = position }
