-- A clip whose function never returns.
-- expect: refused: loading takes more than
-- budget: 5
local tweed = require "tweed"

return tweed.clip { duration = 1, sample = function() while true do end end }
