-- A file above the assets.
-- expect: refused: is outside the asset folders
local tweed = require "tweed"

return tweed.import "../../../../../../../../../../etc/passwd"
