local boxer = require "rigs.humanoid" { file = "BVH/Boxing_Toes.bvh" }
local palm = boxer:at "left_hnd"
return palm
