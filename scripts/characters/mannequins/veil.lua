-- A mannequin in veil.
return require "rigs.mannequin" "veil"
