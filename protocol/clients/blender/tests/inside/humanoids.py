"""Builds a humanoid in a T-pose, skinned, with a step or two as its action, and exports it as an artist does.

Arguments: the file to write, and whose names its bones have.
"""
import math
import sys

import bpy
from mathutils import Quaternion, Vector

FILE, CONVENTION = sys.argv[sys.argv.index("--") + 1:]
RATE, FRAMES = 30, 30

TRUNK = {"mixamo": ["Hips", "Spine", "Spine1", "Spine2", "Neck", "Head"],
         "rigify": ["spine", "spine.001", "spine.002", "spine.003", "spine.004", "spine.006"]}[CONVENTION]
TRUNK_HEIGHTS = [.97, 1.08, 1.20, 1.34, 1.50, 1.60, 1.80]
LIMBS = {"mixamo": ["Shoulder", "Arm", "ForeArm", "Hand", "UpLeg", "Leg", "Foot", "ToeBase"],
         "rigify": ["shoulder", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe"]}[CONVENTION]
# Of the left side, from joint to joint; x is the character's left, and it looks along -y.
ARM = [(.03, 0, 1.46), (.18, 0, 1.46), (.46, 0, 1.46), (.72, 0, 1.46), (.88, 0, 1.46)]
LEG = [(.10, 0, .93), (.10, -.01, .50), (.10, .01, .09), (.10, -.13, .02), (.10, -.20, .02)]


def named(part, side=None):
    if CONVENTION == "mixamo":
        return "mixamorig:" + (side or "") + part
    return f"DEF-{part}" + (f".{side[0]}" if side else "")


def joints():
    """(name, parent, head, tail) of all bones."""
    for i, part in enumerate(TRUNK):
        yield (named(part), named(TRUNK[i - 1]) if i else None,
               (0, 0, TRUNK_HEIGHTS[i]), (0, 0, TRUNK_HEIGHTS[i + 1]))
    for side, sign in (("Left", 1), ("Right", -1)):
        for parts, points, above in ((LIMBS[:4], ARM, TRUNK[3]), (LIMBS[4:], LEG, TRUNK[0])):
            parent = named(above)
            for part, head, tail in zip(parts, points, points[1:]):
                name = named(part, side)
                yield name, parent, (sign * head[0], *head[1:]), (sign * tail[0], *tail[1:])
                parent = name


def build_armature():
    armature = bpy.data.objects.new("man", bpy.data.armatures.new("man"))
    bpy.context.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for name, parent, head, tail in joints():
        bone = armature.data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        bone.parent = armature.data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def add_skin(armature):
    """A tetrahedron a bone: the exporter makes joints of a skin's bones only."""
    corners = [(0, 0, 0), (.05, 0, 0), (0, .05, 0), (0, 0, .05)]
    bones = armature.data.bones
    points = [bone.head_local + Vector(corner) for bone in bones for corner in corners]
    faces = [[4 * i + corner for corner in face] for i in range(len(bones))
             for face in ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))]
    mesh = bpy.data.meshes.new("skin")
    mesh.from_pydata(points, [], faces)
    skin = bpy.data.objects.new("skin", mesh)
    bpy.context.collection.objects.link(skin)
    for i, bone in enumerate(bones):
        skin.vertex_groups.new(name=bone.name).add(range(4 * i, 4 * i + 4), 1, "REPLACE")
    skin.parent = armature
    skin.modifiers.new("armature", "ARMATURE").object = armature


def turn(bone, axis, degrees):
    """Turns a posed bone from its rest about an axis of the armature."""
    own = bone.bone.matrix_local.to_3x3().inverted() @ Vector(axis)
    return Quaternion(own, math.radians(degrees))


def animate(armature):
    """Legs and arms swing against each other, once a second; the hips go forwards and bob."""
    bones = armature.pose.bones
    hips = bones[named(TRUNK[0])]
    to_hips = hips.bone.matrix_local.to_3x3().inverted()
    for frame in range(FRAMES + 1):
        phase = 2 * math.pi * frame / FRAMES
        hips.location = to_hips @ Vector((0, -1.2 * frame / RATE, .02 * math.cos(2 * phase) - .03))
        hips.keyframe_insert("location", frame=frame)
        for side, sign in (("Left", 1), ("Right", -1)):
            swing = sign * math.sin(phase)
            arm, leg, shin = (bones[named(LIMBS[part], side)] for part in (1, 4, 5))
            down = turn(arm, (0, 1, 0), sign * 65)
            arm.rotation_quaternion = turn(arm, (1, 0, 0), 25 * swing) @ down
            leg.rotation_quaternion = turn(leg, (1, 0, 0), -25 * swing)
            shin.rotation_quaternion = turn(shin, (1, 0, 0), 20 - 20 * swing)
            for bone in (arm, leg, shin):
                bone.keyframe_insert("rotation_quaternion", frame=frame)
    armature.animation_data.action.name = "walk"


bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps, scene.frame_start, scene.frame_end = RATE, 0, FRAMES
man = build_armature()
add_skin(man)
animate(man)
bpy.ops.export_scene.gltf(filepath=FILE)
