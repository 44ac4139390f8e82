-- A mannequin in down.
return require "rigs.mannequin" "down"
