-- A human's bones without any file: those of CMU's motion capture (BVH/01_01.bvh), made symmetric and rounded.
--
-- In the pose of zero angles, from which CMU's angles count: arms out to the sides, legs splayed by 20 degrees. Metres
-- in the parent's space, whose axes are the model's: +X to the left, +Y up, +Z forward.

local bones = {}

local function bone(name, parent, x, y, z)
  bones[#bones + 1] = { name = name, parent = parent, position = { x, y, z } }
end

local function leg(side, hip, sign)
  bone(hip, "Hips", 0, 0, 0)
  bone(side .. "UpLeg", hip, sign * .0753, -.1013, .0474)
  bone(side .. "Leg", side .. "UpLeg", sign * .1409, -.3870, 0)
  bone(side .. "Foot", side .. "Leg", sign * .1448, -.3978, 0)
  bone(side .. "ToeBase", side .. "Foot", sign * .0091, -.0250, .1322)
end

local function arm(side, letter, sign)
  bone(side .. "Shoulder", "Spine1", 0, 0, 0)
  bone(side .. "Arm", side .. "Shoulder", sign * .1834, .0727, -.0202)
  bone(side .. "ForeArm", side .. "Arm", sign * .2886, 0, 0)
  bone(side .. "Hand", side .. "ForeArm", sign * .1955, 0, 0)
  bone(side .. "FingerBase", side .. "Hand", 0, 0, 0)
  bone(letter .. "Fingers", side .. "FingerBase", sign * .0378, 0, 0)
  bone(letter .. "Thumb", side .. "Hand", 0, 0, 0)
end

bone("Hips", nil, 0, 0, 0)
leg("Left", "LHipJoint", 1)
leg("Right", "RHipJoint", -1)
bone("LowerBack", "Hips", 0, 0, 0)
bone("Spine", "LowerBack", 0, .1149, -.0109)
bone("Spine1", "Spine", 0, .1156, -.0024)
bone("Neck", "Spine1", 0, 0, 0)
bone("Neck1", "Neck", 0, .0986, .0097)
bone("Head", "Neck1", 0, .0994, -.0070)
arm("Left", "L", 1)
arm("Right", "R", -1)

return bones
