-- A mannequin in rubber.
return require "rigs.mannequin" "rubber"
