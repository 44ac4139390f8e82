"""Follows a character for 60 frames, and compares bones and skinned vertices with what the server streams.

The other side is a connection of its own: canonical axes, matrices and particles, skinned by numpy.
"""
import bpy
import numpy
from harness import Client
from skinning import Skin, matrices, to_blender, world_vertices
from stage import ARGUMENTS, connected, import_character, step
from tweed_live_link import importer

CLOSE = 1e-4  # m
PORT, CHARACTER = int(ARGUMENTS[0]), ARGUMENTS[1]

connected(PORT)
armature = import_character(CHARACTER)
observer = Client(("127.0.0.1", PORT))
description = observer.request("character.describe", character=CHARACTER, mesh=True)
names = [bone["name"] for bone in description["bones"]]
skins = [Skin(mesh, description, importer.weld(mesh)[0]) for mesh in description["meshes"]]
assert sorted(skin.name for skin in skins) == sorted(
    thing.name for thing in bpy.data.objects if thing.type == "MESH" and thing.parent == armature)
observer.subscribe(characters=[CHARACTER], static=False, particles=True, precision=7)

worst = {"bones": 0.0, "vertices": 0.0, "particles": 0.0}
travelled = 0.0
for _ in range(60):
    tick = step(armature)
    frame = observer.event("stream.frame", tick=tick)
    bones = matrices(frame["bones"])
    heads = numpy.array([armature.matrix_world @ armature.pose.bones[name].head for name in names])
    worst["bones"] = max(worst["bones"], abs(heads - to_blender(bones[:, :3, 3])).max())
    for garment in description["garments"]:
        particles = to_blender(frame["particles"][garment["name"]])
        for particle, bone in garment["bones"]:
            if garment["rows"] > 2:
                worst["particles"] = max(worst["particles"], abs(heads[bone] - particles[particle]).max())
    for skin in skins:
        vertices = world_vertices(bpy.data.objects[skin.name])
        worst["vertices"] = max(worst["vertices"], abs(vertices - to_blender(skin.at(bones))).max())
    travelled = max(travelled, abs(heads - armature.matrix_world.translation).max())
print("largest distances, m:", worst)
assert max(worst.values()) < CLOSE, worst
assert travelled > .5
