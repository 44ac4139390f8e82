"""A rig of another make, in a T-pose, in centimetres and taller, shows a character and drives it: limbs point alike.

With the argument "turned" its own space has +Y up and the object is turned, as importers leave a rig from FBX.
"""
import math

import bpy
from mathutils import Matrix, Vector
from stage import ARGUMENTS, connected, import_character, link, step, turn_until
from tweed_live_link import session

TURNED = "turned" in ARGUMENTS
STRAIGHT = .9998  # cosine of the angle between limbs that point alike: 1.1 degrees
LIMBS = {"LeftArm": "LeftForeArm", "LeftForeArm": "LeftHand", "RightArm": "RightForeArm", "RightForeArm": "RightHand",
         "LeftUpLeg": "LeftLeg", "LeftLeg": "LeftFoot", "RightUpLeg": "RightLeg", "RightLeg": "RightFoot"}
JOINTS = [  # name, parent, place in cm
    ("Hips", None, (0, 0, 110)), ("Spine", "Hips", (0, 0, 120)), ("Spine1", "Spine", (0, 0, 135)),
    ("Spine2", "Spine1", (0, 0, 150)), ("Neck", "Spine2", (0, 0, 165)), ("Head", "Neck", (0, 0, 175)),
    ("Tail", "Hips", (0, 20, 110))]
for side, sign in (("Left", 1), ("Right", -1)):
    JOINTS += [(f"{side}Shoulder", "Spine2", (4 * sign, 0, 160)),
               (f"{side}Arm", f"{side}Shoulder", (20 * sign, 0, 160)),
               (f"{side}ForeArm", f"{side}Arm", (50 * sign, 0, 160)),
               (f"{side}Hand", f"{side}ForeArm", (78 * sign, 0, 160)),
               (f"{side}UpLeg", "Hips", (11 * sign, 0, 105)), (f"{side}Leg", f"{side}UpLeg", (11 * sign, 0, 58)),
               (f"{side}Foot", f"{side}Leg", (11 * sign, 0, 10)),
               (f"{side}ToeBase", f"{side}Foot", (11 * sign, -15, 3))]


def make_rig():
    data = bpy.data.armatures.new("rig")
    rig = bpy.data.objects.new("rig", data)
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for number, (name, parent, place) in enumerate(JOINTS):
        bone = data.edit_bones.new("mixamorig:" + name)
        bone.head, bone.roll = own_space(place), number
        child = next((below for _, above, below in JOINTS if above == name), None)
        bone.tail = own_space(child) if child else bone.head + own_space((0, 0, 8))
        bone.parent = data.edit_bones["mixamorig:" + parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.scale = (.01, .01, .01)
    rig.rotation_euler.x = math.pi / 2 if TURNED else 0
    rig.location = (1, 2, 0)
    return rig


def own_space(place):
    x, y, z = place
    return Vector((x, z, -y) if TURNED else place)


def way(armature, prefix, limb, end):
    heads = [armature.matrix_world @ armature.pose.bones[prefix + name].head for name in (limb, end)]
    return (heads[1] - heads[0]).normalized()


def straightness(rig, other):
    return min(way(rig, "mixamorig:", limb, end).dot(way(other, "", limb, end)) for limb, end in LIMBS.items())


connected(ARGUMENTS[0])
alan = import_character("alan")
rig = make_rig()
bpy.context.view_layer.update()
assert bpy.ops.tweed.bind_armature(character="alan") == {"FINISHED"}
rig.tweed.follow = True
turn_until(lambda: session.follower.bindings.known(rig) is not None)
binding = session.follower.bindings.known(rig)
assert not binding.exact and sorted(binding.left) == ["mixamorig:Spine1", "mixamorig:Tail"], binding.left
places = {name: bone.head_local for name, bone in alan.data.bones.items()}
leg = sum((places[side + above] - places[side + below]).length / 2 for side in ("Left", "Right")
          for above, below in (("UpLeg", "Leg"), ("Leg", "Foot")))
taller = binding.ratio / 100
assert abs(taller - .95 / leg) < 1e-3, (taller, .95 / leg)  # its legs are 47 and 48 cm; arms and head do not count

# It follows: its limbs point as the character's, and its feet stay near the ground.
def hips(armature, name="Hips"):
    return armature.matrix_world @ armature.pose.bones[name].head


begun = Vector(JOINTS[0][2]) / 100 - alan.data.bones["Hips"].matrix_local.translation * taller + rig.location
for _ in range(4):
    step(rig, 20)
    local = alan.matrix_world.inverted() @ hips(alan)  # its root is where the rig stands
    place = begun + (local + alan.location - rig.location) * taller
    assert (hips(rig, "mixamorig:Hips") - place).length < 1e-3, (hips(rig, "mixamorig:Hips"), place)
    assert straightness(rig, alan) > STRAIGHT, straightness(rig, alan)
    lowest = min((rig.matrix_world @ rig.pose.bones[f"mixamorig:{side}ToeBase"].head).z for side in ("Left", "Right"))
    assert -.1 < lowest < .25, lowest

# It drives: posed in Blender, the character's limbs point as its own.
rig.tweed.follow = False
for bone in rig.pose.bones:
    bone.matrix_basis = Matrix()
bones = rig.pose.bones
for name, axis, angle in (("LeftArm", "X", .8), ("LeftForeArm", "Z", .9), ("RightArm", "Z", -.6),
                          ("LeftUpLeg", "X", -.7), ("LeftLeg", "X", .5), ("Spine1", "Y", .4), ("Hips", "Y", .5)):
    bones["mixamorig:" + name].matrix_basis = Matrix.Rotation(angle, 4, axis)
bones["mixamorig:Hips"].location = (0, 0, 0)
rig.tweed.drive = True
session.drive.exact = True
turn_until(lambda: session.drive.is_ready(rig))
bpy.context.view_layer.update()
session.drive.send_now(link, rig, teleport=True)
step(alan, 2)
assert straightness(rig, alan) > STRAIGHT, straightness(rig, alan)
assert (hips(alan).xy - Vector((1, 2))).length < .1 and .7 < hips(alan).z < 1.2, hips(alan)
