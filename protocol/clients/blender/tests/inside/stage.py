"""What the scripts in this folder share: the add-on enabled and connected, and the arguments after "--"."""
import sys
import time

import bpy

bpy.ops.preferences.addon_enable(module="tweed_live_link")

from tweed_live_link import session  # noqa: E402

link = session.link
ARGUMENTS = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []


def connect(port, token=""):
    """Connects as the button does; a failure stays in the link's message."""
    preferences = bpy.context.preferences.addons["tweed_live_link"].preferences
    preferences.host, preferences.port = "127.0.0.1", int(port)
    bpy.context.window_manager.tweed.token = token
    try:
        assert bpy.ops.tweed.connect() == {"FINISHED"} and link.state == "connected"
    except RuntimeError as error:
        assert link.state != "connected" and link.message in str(error), error


def connected(port, token=""):
    connect(port, token)
    assert link.state == "connected", link.message


def turn_until(condition, seconds=30):
    """Calls the timer's function, as Blender does, until something is so."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"still not so after {seconds} s; {link.state}: {link.message}"
        session.step()
        time.sleep(.002)


def import_character(name):
    """Imports a character as the button does; returns its armature, which has its first frame."""
    assert bpy.ops.tweed.import_character(character=name) == {"FINISHED"}
    armature = bpy.context.object
    turn_until(lambda: session.follower.bindings.known(armature) is not None)
    return armature


def step(armature, ticks=1):
    """Steps the paused server, and returns once the armature has the new pose."""
    tick = link.request("simulation.step", ticks=ticks)["tick"]
    turn_until(lambda: link._ticks.get(armature.tweed.character) == tick)
    bpy.context.view_layer.update()
    return tick
