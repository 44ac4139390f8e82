-- One of a crowd, in denim.
return require "rigs.mannequin" ("denim", { crowd = true })
