-- One of a crowd, in cotton.
return require "rigs.mannequin" ("cotton", { crowd = true })
