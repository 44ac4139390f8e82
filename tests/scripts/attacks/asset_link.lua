-- A file behind a link that leads out.
-- expect: refused: lies outside of the folders
local tweed = require "tweed"

return tweed.import "helpers/passwd.bvh"
