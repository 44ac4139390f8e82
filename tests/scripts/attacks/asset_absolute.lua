-- A file anywhere.
-- expect: refused: is outside the asset folders
local tweed = require "tweed"

return tweed.import "/etc/passwd"
