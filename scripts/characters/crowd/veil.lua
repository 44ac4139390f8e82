-- One of a crowd, in veil.
return require "rigs.mannequin" ("veil", { crowd = true })
