"""Renders a character of a tweed server at several moments, side by side, by Cycles: the picture of the README.

    blender -b --factory-startup --python-exit-code 3 --python protocol/clients/blender/picture.py -- \\
        build/release/bin/tweed build/blender/jacket.jpg [SCENE CHARACTER TIME...]

It starts the server, paused, and installs the add-on that ./dev blender builds into a folder of its own.
"""
import json
import math
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import bpy
from mathutils import Matrix, Vector

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import package  # noqa: E402

SCENE, CHARACTER = HERE.parent.parent.parent / "scripts/scenes/wake.lua", "alan"
TIMES = 2, 4, 9, 10.6  # s
APART = .88  # m between two moments
SIZE, SAMPLES = (960, 465), 256


def enable_addon(folder):
    with zipfile.ZipFile(package.build(folder)) as built:
        built.extractall(folder)
    sys.path.insert(0, folder)
    import tweed_live_link
    tweed_live_link.register()
    from tweed_live_link import session
    return session


def start_server(binary, scene, folder):
    port_file = Path(folder, "port.json")
    server = subprocess.Popen([binary, "serve", scene, "--paused", "--no-http", "--listen", "127.0.0.1:0",
                               "--port-file", str(port_file)], stdin=subprocess.DEVNULL)
    for _ in range(600):
        if port_file.exists():
            return server, json.loads(port_file.read_text())["tcp"]
        time.sleep(.05)
    raise TimeoutError("the server did not start")


def turn_until(session, condition):
    end = time.monotonic() + 30
    while True:
        session.step()
        if condition():
            return
        assert time.monotonic() < end, session.link.message
        time.sleep(.002)


def stand_still(armature, place):
    """Copies the character's meshes as they are now to a place, without armature."""
    graph = bpy.context.evaluated_depsgraph_get()
    hips = (armature.matrix_world @ armature.pose.bones[0].head).to_2d().to_3d()
    for thing in [thing for thing in bpy.data.objects if thing.type == "MESH" and thing.parent == armature]:
        mesh = bpy.data.meshes.new_from_object(thing.evaluated_get(graph))
        still = bpy.data.objects.new("still", mesh)
        still.matrix_world = Matrix.Translation(place - hips) @ thing.matrix_world
        bpy.context.scene.collection.objects.link(still)


def light(width):
    scene = bpy.context.scene
    world = scene.world = bpy.data.worlds.new("studio")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs[0].default_value = (.62, .70, .82, 1)
    world.node_tree.nodes["Background"].inputs[1].default_value = .75
    for name, energy, size, place, color in (
            ("key", 260, 2, (-2.6, -3.6, 4.2), (1, .93, .84)), ("rim", 200, 2, (3.4, 2.6, 3.4), (.80, .88, 1)),
            ("fill", 40, 5, (3.5, -4, 1.6), (1, 1, 1))):
        lamp = bpy.data.lights.new(name, "AREA")
        lamp.energy, lamp.size, lamp.color = energy, size, color
        thing = bpy.data.objects.new(name, lamp)
        thing.location = place
        thing.rotation_euler = (Vector((0, 0, .9)) - Vector(place)).to_track_quat("-Z", "Y").to_euler()
        scene.collection.objects.link(thing)
    backdrop(width)


def backdrop(width):
    """A floor that rises into a wall, as in a photographer's studio."""
    rows = [(-8, 0), (2.2, 0)] + [(2.2 + 1.6 * math.sin(angle), 1.6 - 1.6 * math.cos(angle))
                                  for angle in (math.pi / 2 * step / 16 for step in range(1, 17))] + [(3.8, 9)]
    points = [(side * 14, y, z) for y, z in rows for side in (-1, 1)]
    mesh = bpy.data.meshes.new("backdrop")
    mesh.from_pydata(points, [], [(2 * row, 2 * row + 1, 2 * row + 3, 2 * row + 2) for row in range(len(rows) - 1)])
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    material = bpy.data.materials.new("backdrop")
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (.20, .22, .25, 1)
    material.node_tree.nodes["Principled BSDF"].inputs["Roughness"].default_value = .9
    mesh.materials.append(material)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("backdrop", mesh))


def look(count):
    scene = bpy.context.scene
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.lens = 70
    camera.location = (0, -2.6 - 1.36 * count, 1.15)
    camera.rotation_euler = (Vector((0, 0, .91)) - camera.location).to_track_quat("-Z", "Y").to_euler()
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine, scene.cycles.device = "CYCLES", "CPU"
    scene.cycles.samples, scene.cycles.use_denoising = SAMPLES, False
    scene.render.resolution_x, scene.render.resolution_y = SIZE
    scene.view_settings.view_transform, scene.view_settings.look = "Filmic", "Medium Contrast"


def main():
    binary, out, *rest = sys.argv[sys.argv.index("--") + 1:]
    scene, character, *times = rest or (str(SCENE), CHARACTER, *TIMES)
    with tempfile.TemporaryDirectory() as folder:
        session = enable_addon(folder)
        server, port = start_server(binary, scene, folder)
        try:
            draw(session, port, character, [float(moment) for moment in times], out)
        finally:
            session.link.disconnect()
            server.terminate()
            server.wait()


def draw(session, port, character, times, out):
    link = session.link
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    link.connect("127.0.0.1", port)
    turn_until(session, lambda: link.state == "connected" and link.characters)
    bpy.ops.tweed.import_character(character=character)
    armature = bpy.context.object
    done = 0
    for number, moment in enumerate(times):
        ticks = round(moment * link.tick_rate)
        tick = link.request("simulation.step", ticks=ticks - done)["tick"]
        done = ticks
        turn_until(session, lambda: character in link.frames and link.frames[character].tick == tick)
        bpy.context.view_layer.update()
        stand_still(armature, Vector(((number - (len(times) - 1) / 2) * APART, 0, 0)))
    for collection in bpy.context.scene.collection.children:
        collection.hide_render = True
    light(len(times) * APART)
    look(len(times))
    scene = bpy.context.scene
    scene.render.image_settings.file_format, scene.render.image_settings.quality = "JPEG", 88
    scene.render.filepath = str(Path(out).resolve())
    bpy.ops.render.render(write_still=True)


main()
