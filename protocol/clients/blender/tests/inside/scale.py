"""Armatures are scaled, and bound anew: where they show the character does not depend on when they were bound."""
import sys

import bpy
import numpy
from harness import Client
from mathutils import Matrix
from skinning import Skin, matrices, to_blender, world_vertices
from stage import ARGUMENTS, connected, import_character, link, step, turn_until
from tweed_live_link import importer, session

CLOSE = 1e-4  # m
PORT = int(ARGUMENTS[0])
FILE = ARGUMENTS[1]


class Stream:
    """A connection of its own: what the server has."""

    def __init__(self):
        self.client = Client(("127.0.0.1", PORT))
        self.description = self.client.request("character.describe", character="alan", mesh=True)
        self.names = [bone["name"] for bone in self.description["bones"]]
        self.skins = [Skin(mesh, self.description, importer.weld(mesh)[0]) for mesh in self.description["meshes"]]
        self.client.subscribe(characters=["alan"], static=False, precision=7)

    def bones(self, tick):
        return matrices(self.client.event("stream.frame", tick=tick)["bones"])


def heads(armature, names, prefix=""):
    return numpy.array([armature.matrix_world @ armature.pose.bones[prefix + name].head for name in names])


def rescale(name, scale):
    bpy.data.objects[name].scale = [scale] * 3
    bpy.context.view_layer.update()


def bound_anew(name):
    """Yields in which way the armature of this name is bound anew, and the armature, which may be another then."""
    yield "as it is", bpy.data.objects[name]
    session._forget()
    yield "after undo", bpy.data.objects[name]
    bpy.ops.tweed.disconnect()
    connected(PORT)
    yield "reconnected", bpy.data.objects[name]
    bpy.ops.wm.save_as_mainfile(filepath=FILE)
    bpy.ops.wm.open_mainfile(filepath=FILE)
    yield "saved and opened", bpy.data.objects[name]


def check_imported(stream, armature, what):
    tick = step(armature)
    bones = stream.bones(tick)
    apart = abs(heads(armature, stream.names) - to_blender(bones[:, :3, 3])).max()
    for skin in stream.skins:
        vertices = world_vertices(bpy.data.objects[skin.name])
        apart = max(apart, abs(vertices - to_blender(skin.at(bones))).max())
    for empty in armature.children:
        if empty.type == "EMPTY" and empty.parent_bone:
            apart = max(apart, abs(numpy.array(empty.matrix_world.to_scale()) - empty_scales[empty.name]).max())
    print(f"imported, {what}: {apart:.1e} m")
    assert apart < CLOSE, (what, apart)


connected(PORT)
stream = Stream()
import_character("alan").location = (3, 1, .5)
bpy.context.view_layer.update()
empty_scales = {empty.name: numpy.array(empty.matrix_world.to_scale())
                for empty in bpy.data.objects["alan"].children if empty.type == "EMPTY"}
for scale in (1, 2, .01, 1.15):
    rescale("alan", scale)
    for way, armature in bound_anew("alan"):
        check_imported(stream, armature, f"scale {scale}, {way}")

# A character that was imported and is in centimetres now, as after Apply Scale: its units are the armature's affair.
armature = bpy.data.objects["alan"]
armature.scale = [1] * 3
for child in list(armature.children):
    if child.type == "EMPTY":
        bpy.data.objects.remove(child)
    else:
        child.data.transform(Matrix.Scale(100, 4))
armature.data.transform(Matrix.Scale(100, 4))
for scale in (.01, 1):
    rescale("alan", scale)
    for way, armature in bound_anew("alan"):
        check_imported(stream, armature, f"in centimetres, scale {scale}, {way}")
for child in list(armature.children):
    bpy.data.objects.remove(child)
bpy.data.objects.remove(armature)

# A rig of one's own, 1.1 times as tall in the leg: it is as large as it is scaled, and its feet are as far above the
# ground as the server's, times its size.
source = import_character("alan")
source.scale = [1] * 3
rig = source.copy()
rig.data = source.data.copy()
bpy.context.collection.objects.link(rig)
rig.name, rig.location = "rig", (0, 0, 0)
rig.data.transform(Matrix.Scale(1.1, 4))
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode="EDIT")
rig.data.edit_bones["Head"].head.z += .3  # of other proportions
bpy.ops.object.mode_set(mode="OBJECT")
FEET = "LeftFoot", "RightFoot", "Hips"
for scale in (1, 1.5, .5):
    rescale("rig", scale)
    for way, rig in bound_anew("rig"):
        rig.tweed.follow = True
        tick = step(rig)
        binding = session.follower.bindings.known(rig)
        assert not binding.exact
        want = to_blender(stream.bones(tick)[[stream.names.index(name) for name in FEET], :3, 3]) * 1.1 * scale
        apart = abs(heads(rig, FEET) - want).max()
        print(f"own, scale {scale}, {way}: {apart:.1e} m, ratio {binding.ratio:.4f}")
        assert apart < 2e-3, (scale, way, heads(rig, FEET), want)

# Driven by an imported armature of another size, the character keeps its own; the cloth is on the armature's bones.
rig.tweed.follow = False
armature = bpy.data.objects["alan"]
for bone in armature.pose.bones:
    bone.matrix_basis = Matrix()
armature.location = (1, 0, 0)
rescale("alan", 2)
armature.tweed.drive = True
session.drive.exact = True
for way, armature in bound_anew("alan"):
    turn_until(lambda: session.drive.is_ready(armature))
    bpy.context.view_layer.update()
    session.drive.send_now(link, armature, teleport=True)
    bones = stream.bones(step(armature, 2))
    place = numpy.array(armature.matrix_world.translation)
    apart = abs(heads(armature, stream.names) - place - 2 * (to_blender(bones[:, :3, 3]) - place)).max()
    print(f"driven, {way}: {apart:.1e} m")
    assert apart < 2 * CLOSE, (way, apart)
sys.stdout.flush()
