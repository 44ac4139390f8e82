local boxer = require "rigs.humanoid" { file = "BVH/Boxing_Toes.bvh", bones = { lft_hand = "LeftHand" } }
return boxer
