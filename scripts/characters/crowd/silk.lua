-- One of a crowd, in silk.
return require "rigs.mannequin" ("silk", { crowd = true })
