-- One of a crowd, in down.
return require "rigs.mannequin" ("down", { crowd = true })
