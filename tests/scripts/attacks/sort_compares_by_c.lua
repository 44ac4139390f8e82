-- A function in C as the comparison, so often that no instruction of Lua runs for seconds.
-- expect: suspended: ms in one tick
local attack = require "helpers.attack"

local list = {}
for i = 1, 1000000 do list[i] = i end

return attack(function() table.sort(list, rawequal) end)
