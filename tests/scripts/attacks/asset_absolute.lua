-- A file anywhere.
-- expect: refused: lies outside of the folders
local tweed = require "tweed"

return tweed.import "/etc/passwd"
