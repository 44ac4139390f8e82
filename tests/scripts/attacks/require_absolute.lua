-- A module anywhere.
-- expect: refused: expected names joined by dots
return require "/etc/passwd"
