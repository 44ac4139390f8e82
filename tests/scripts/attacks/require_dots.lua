-- A module above the script folders.
-- expect: refused: expected names joined by dots
return require "../secret"
