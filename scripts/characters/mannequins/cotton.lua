-- A mannequin in cotton.
return require "rigs.mannequin" "cotton"
