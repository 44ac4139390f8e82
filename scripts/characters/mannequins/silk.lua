-- A mannequin in silk.
return require "rigs.mannequin" "silk"
