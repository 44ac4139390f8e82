-- A mannequin in leather.
return require "rigs.mannequin" "leather"
