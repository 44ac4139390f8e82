"""What goes wrong in a day: servers end and start again, armatures are deleted and edited, tokens fail."""
import os
import sys
from pathlib import Path

import bpy
from harness import ROOT, Server
from stage import connect, connected, import_character, link, step, turn_until
from tweed_live_link import importer, properties, session

STAGE = ROOT / "protocol/clients/blender/tests/stage/scenes/two.lua"


def known_words(words):
    assert words in link.message, link.message


# Nothing listens; a token is wrong, or right.
connect(1)
assert link.state == "offline"
known_words("nothing listens at 127.0.0.1:1: is tweed running there?")
with Server(scene=STAGE) as server:
    tokens = server.folder / "tokens"
    tokens.write_text("operator 7d1f0c2b99\nobserver watching\n")
    tokens.chmod(0o600)
    with Server("--token-file", str(tokens), scene=STAGE) as guarded:
        for token, words in (("", "asks for a token"), ("wrong", "token")):
            connect(guarded.address[1], token)
            assert link.state == "offline"
            known_words(words)
        connected(guarded.address[1], "7d1f0c2b99")
        bpy.context.preferences.filepaths.use_file_compression = False
        bpy.ops.wm.save_as_mainfile(filepath=str(server.folder / "file.blend"), compress=False)
        bpy.ops.wm.save_userpref()
        assert properties.token() == "7d1f0c2b99"
        assert b"7d1f0c2b99" not in (server.folder / "file.blend").read_bytes()
    bpy.context.window_manager.tweed.token = ""

# The server ends, and another starts at its address: what followed follows on.
with Server(scene=STAGE) as server:
    port = server.address[1]
    connected(port)
    armature, second = import_character("one"), import_character("two")
    step(armature, 5)
turn_until(lambda: link.state == "lost")
known_words("connecting again")
with Server(scene=STAGE, listen=f"127.0.0.1:{port}") as server:
    turn_until(lambda: link.state == "connected")
    turn_until(lambda: link.frames.get("one") and link.frames["one"].tick == 0)
    step(armature, 30)
    head = armature.pose.bones["top"].head.copy()

    # An armature is deleted, edited, in another scene.
    bpy.data.objects.remove(second)
    step(armature, 10)
    assert link._followed == ("one",)
    assert (armature.pose.bones["top"].head - head).length > 1e-3
    step(armature, 2)
    binding = session.follower.bindings.known(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    top = armature.data.edit_bones["top"]
    top.roll += 1
    extra = armature.data.edit_bones.new("extra")
    extra.head, extra.tail = (0, 0, 2), (0, 0, 3)
    link.request("simulation.step", ticks=3)
    for _ in range(20):
        session.step()
    bpy.ops.object.mode_set(mode="OBJECT")
    step(armature)
    assert session.follower.bindings.known(armature) is not binding
    assert session.follower.bindings.known(armature).left == ["extra"]
    armature.data.bones["extra"].name = "more"
    armature.data.bones["bell"].name = "rang"
    step(armature)
    assert session.follower.bindings.known(armature).left == ["more", "rang"]
    armature.data.bones["rang"].name = "bell"
    before = armature.pose.bones["bell"].matrix_basis.copy()
    step(armature, 5)
    assert session.follower.bindings.known(armature).left == ["more"]
    assert armature.pose.bones["bell"].matrix_basis != before
    armature.tweed.drive = True
    turn_until(lambda: session.drive.is_ready(armature))
    armature.data.bones["mast"].name = "pole"
    driver = session.drive._of(armature)[0].driver
    for _ in range(2):
        armature.pose.bones["foot"].location.x += .1
        bpy.context.view_layer.update()
    before = driver.sequence
    turn_until(lambda: driver.sequence > before)
    armature.data.bones["pole"].name = "mast"
    bpy.context.view_layer.update()
    armature.tweed.drive = False
    turn_until(lambda: not session.drive._driven)
    assert not link.message, link.message
    bpy.ops.scene.new(type="EMPTY")
    before = armature.pose.bones["top"].matrix_basis.copy()
    link.request("simulation.step", ticks=9)
    turn_until(lambda: armature.pose.bones["top"].matrix_basis != before)

    # A character is removed, and comes back; a script fails, and is mended.
    link.request("character.remove", character="one")
    turn_until(lambda: "one" not in link.characters)
    link.request("character.spawn", script="characters/mast", name="one")
    turn_until(lambda: "one" in link.characters)
    before = armature.pose.bones["top"].matrix_basis.copy()
    link.request("simulation.step", ticks=40)
    turn_until(lambda: armature.pose.bones["top"].matrix_basis != before)

    # A character that was spawned in a pause has no frame yet: it is imported all the same.
    importer.ROOT_WITHIN = .3
    link.request("character.spawn", script="characters/mast", name="late", position=[0, 0, 3])
    assert bpy.ops.tweed.import_character(character="late") == {"FINISHED"}
    late = bpy.context.object
    step(late)
    assert (late.matrix_world @ late.pose.bones["foot"].head).y < -2.5

    # A request that is refused is told, and changes nothing.
    things = len(bpy.data.objects)
    try:
        bpy.ops.tweed.import_character(character="nobody")
        sys.exit("a character that does not exist was imported")
    except RuntimeError as error:
        assert "nobody" in str(error), error
    assert len(bpy.data.objects) == things

# Disabled and enabled again, the add-on leaves nothing behind.
bpy.ops.preferences.addon_disable(module="tweed_live_link")
assert not bpy.app.timers.is_registered(session.step) and link.state == "offline"
bpy.ops.preferences.addon_enable(module="tweed_live_link")
