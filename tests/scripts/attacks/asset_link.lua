-- A file behind a link that leads out.
-- expect: refused: is outside the asset folders
local tweed = require "tweed"

return tweed.import "helpers/passwd.bvh"
