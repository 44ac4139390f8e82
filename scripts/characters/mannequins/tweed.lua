-- A mannequin in tweed.
return require "rigs.mannequin" "tweed"
