-- A skeleton without the limbs that a humanoid has.
local humanoid = require "rigs.humanoid"
return humanoid {
  skeleton = { { name = "Hips" }, { name = "Head", parent = "Hips" }, { name = "LeftArm", parent = "Hips" } },
}
