local jacket = require "garments.jackett"

return jacket
