"""Opens a baked shot by Blender's own importer, and compares it with what a server streams of the same ticks."""
import sys

import bpy
import numpy
from harness import Client
from skinning import Skin, matrices, to_blender, world_vertices

CLOSE = 1e-4  # m
PORT, SHOT, CHARACTER = sys.argv[sys.argv.index("--") + 1:]
RATE, TICKS = 60, 60

numpy.bool = bool  # which this importer asks for, and numpy no longer has
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = RATE  # a key a frame
bpy.ops.import_scene.gltf(filepath=SHOT)

observer = Client(("127.0.0.1", int(PORT)))
description = observer.request("character.describe", character=CHARACTER, mesh=True)
names = [bone["name"] for bone in description["bones"]]
(armature,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
assert set(names) == set(armature.pose.bones.keys())
# The importer leaves out vertices that no triangle has: skin that clothes cover.
skins = [Skin(mesh, description, numpy.unique(mesh["triangles"])) for mesh in description["meshes"]]
skinned = {thing.data.name: thing for thing in bpy.data.objects if thing.type == "MESH" and thing.find_armature()}
assert skins and {skin.name for skin in skins} == set(skinned), skinned

observer.subscribe(characters=[CHARACTER], static=False, precision=7)
worst = {"bones": 0.0, "vertices": 0.0}
begin = end = None
for frame in observer.step(TICKS)[::7]:
    bpy.context.scene.frame_set(frame["tick"])
    bones = matrices(frame["bones"])
    end = numpy.array([armature.matrix_world @ armature.pose.bones[name].head for name in names])
    begin = end if begin is None else begin
    worst["bones"] = max(worst["bones"], numpy.linalg.norm(end - to_blender(bones[:, :3, 3]), axis=1).max())
    for skin in skins:
        vertices = world_vertices(skinned[skin.name])
        off = numpy.linalg.norm(vertices - to_blender(skin.at(bones)), axis=1).max()
        worst["vertices"] = max(worst["vertices"], off)
print("largest distances, m:", worst)
assert max(worst.values()) < CLOSE, worst
assert abs(end - begin).max() > .1
