-- A file that never returns.
-- expect: refused: loading takes more than 200 ms
-- budget: 5
while true do end
