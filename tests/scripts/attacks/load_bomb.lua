-- A file that needs all memory.
-- expect: refused: its memory is used up
local list = {}
while true do list = { list } end
