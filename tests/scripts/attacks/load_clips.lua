-- Clips that take more memory than a script may have.
-- expect: refused: out of memory
local tweed = require "tweed"

local function sample()
  local bones = {}
  for i = 1, 100 do bones["bone_" .. i] = { rotation = { 0, 0, 0, 1 } } end
  return bones
end

return tweed.clip { duration = 600, rate = 59, sample = sample }
