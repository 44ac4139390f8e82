local body = require "helpers.body"

return body.cape()
