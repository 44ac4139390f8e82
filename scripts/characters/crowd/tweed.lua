-- One of a crowd, in tweed.
return require "rigs.mannequin" ("tweed", { crowd = true })
