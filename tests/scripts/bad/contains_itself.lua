local tweed = require "tweed"
local body = require "helpers.body"

local definition = { skeleton = body.skeleton() }
definition.garments = { definition }

return tweed.character(definition)
