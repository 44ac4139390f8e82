-- One of a crowd, in rubber.
return require "rigs.mannequin" ("rubber", { crowd = true })
