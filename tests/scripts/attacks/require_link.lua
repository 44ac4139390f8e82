-- A module behind a link that leads out.
-- expect: refused: no module "helpers.outside"
return require "helpers.outside"
