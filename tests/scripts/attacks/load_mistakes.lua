-- More mistakes than anyone reads.
-- expect: refused: and more
local tweed = require "tweed"

for _ = 1, 3000 do tweed.clip {} end
