-- A mannequin in denim.
return require "rigs.mannequin" "denim"
