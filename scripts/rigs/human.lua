-- The human that the shipped characters share: CMU's motion-capture skeleton from BVH/01_01.bvh where it can be had
-- (Debian: assimp-testmodels), else the built-in biped of the same bones and proportions.

local tweed = require "tweed"
local humanoid = require "rigs.humanoid"

local FILE = "BVH/01_01.bvh"

local has_file, reason = tweed.has_asset(FILE)
if has_file then return humanoid { file = FILE } end

tweed.log("info", "the built-in biped takes the human's place: " .. reason)
return humanoid { skeleton = require "rigs.biped" }
