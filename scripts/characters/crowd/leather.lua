-- One of a crowd, in leather.
return require "rigs.mannequin" ("leather", { crowd = true })
