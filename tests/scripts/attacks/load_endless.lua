-- A file that never returns.
-- expect: refused: loading takes more than
-- budget: 5
while true do end
