-- A file above the assets.
-- expect: refused: lies outside of the folders
local tweed = require "tweed"

return tweed.import "../../../../../../../../../../etc/passwd"
