"""In Blender's window: nothing here calls the add-on's timer, Blender does. Writes a picture of the window.

The steps below are run by a timer of their own, one after the other; each waits until something is so.
"""
import os
import sys
import time
import traceback

import bpy
from stage import ARGUMENTS, link
from tweed_live_link import session

PORT, PICTURE = int(ARGUMENTS[0]), ARGUMENTS[1]
DEADLINE = time.monotonic() + 120


def area():
    return next(area for area in bpy.context.window_manager.windows[0].screen.areas if area.type == "VIEW_3D")


def in_window():
    window = bpy.context.window_manager.windows[0]
    region = next(region for region in area().regions if region.type == "WINDOW")
    return bpy.context.temp_override(window=window, area=area(), region=region)


def heads(armature):
    return [tuple(armature.pose.bones[name].head) for name in ("top", "banner_3_5")]


def moved(armature, before):
    return armature.name in bpy.data.objects and any(
        abs(a - b) > .005 for one, two in zip(heads(armature), before) for a, b in zip(one, two))


def use_item_tab():
    """Before Blender 4.2 a script cannot choose the sidebar's tab: the panels move to the one that is open."""
    for name in ("TWEED_PT_link", "TWEED_PT_characters", "TWEED_PT_record", "TWEED_PT_garment", "TWEED_PT_status"):
        panel = getattr(bpy.types, name, None)
        if panel is not None:
            bpy.utils.unregister_class(panel)
            panel.bl_category = "Item"
            panel.bl_options = set()
            bpy.utils.register_class(panel)


def steps():
    """Yields what to wait for."""
    area().spaces[0].show_region_ui = True
    use_item_tab()
    yield lambda: link.state == "connected" and link.characters
    with in_window():
        bpy.ops.object.select_all(action="SELECT")
        bpy.ops.object.delete()
        assert bpy.ops.tweed.import_character("EXEC_DEFAULT", True, character="one") == {"FINISHED"}
    armature = bpy.data.objects["one"]
    before = heads(armature)
    yield lambda: moved(armature, before)
    shown = link._ticks["one"]
    yield lambda: link._ticks.get("one", 0) > shown + 60
    assert link.rate > 0
    with in_window():
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_selected()
    time.sleep(.1)
    yield lambda: True
    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=2)
    bpy.ops.screen.screenshot(filepath=PICTURE)
    # The import is one step to undo; redone, the armature follows on.
    with in_window():
        bpy.ops.ed.undo()
    assert "one" not in bpy.data.objects
    yield lambda: True
    with in_window():
        bpy.ops.ed.redo()
    armature = bpy.data.objects["one"]
    before = heads(armature)
    yield lambda: moved(armature, before)
    # Played in Blender, an animation drives the character, without a jump until it begins again.
    one = bpy.data.objects["one"]
    mast = one.pose.bones["mast"]
    for frame, angle in ((1, 0), (200, 2)):
        mast.rotation_quaternion = (1, angle, 0, 0)
        mast.keyframe_insert("rotation_quaternion", frame=frame)
    one.tweed.drive = True
    yield lambda: session.drive.is_ready(bpy.data.objects["one"])
    with in_window():
        bpy.ops.screen.animation_play()
    driven = session.drive._of(bpy.data.objects["one"])[0]
    yield lambda: driven.driver.sequence > 5
    assert not driven.teleport
    with in_window():
        bpy.ops.screen.animation_cancel()
    one = bpy.data.objects["one"]
    one.tweed.drive = False
    one.animation_data_clear()
    yield lambda: not session.drive._driven
    link.request("character.play", character="one", clip="bow", loop=True)  # which driving has stopped
    # A shot is recorded while Blender goes on, and is one step to undo; Escape leaves no keyframes.
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 8
    with in_window():
        bpy.ops.ed.undo_push(message="before the shot")
        assert bpy.ops.tweed.record_shot("INVOKE_DEFAULT", True, preroll=0) == {"RUNNING_MODAL"}
    yield lambda: bpy.data.objects["one"].animation_data is not None
    assert len(bpy.data.objects["one"].animation_data.action.fcurves[0].keyframe_points) == 8
    assert not bpy.data.objects["one"].tweed.follow
    with in_window():
        bpy.ops.ed.undo()
    one = bpy.data.objects["one"]
    assert one.animation_data is None or one.animation_data.action is None
    assert one.tweed.follow
    scene = bpy.context.scene
    scene.frame_end = 5000
    yield lambda: link.request("server.stats")["paused"] is False
    with in_window():
        assert bpy.ops.tweed.record_shot("INVOKE_DEFAULT", preroll=0) == {"RUNNING_MODAL"}
    yield lambda: bpy.context.scene.frame_current == 1 and link.request("server.stats")["paused"]
    bpy.context.window_manager.windows[0].event_simulate(type="ESC", value="PRESS", x=300, y=300)
    yield lambda: not link.request("server.stats")["paused"]
    assert bpy.data.objects["one"].animation_data is None
    # The timer goes on after another file was loaded.
    bpy.ops.wm.read_homefile(use_empty=True)
    assert not bpy.data.objects and link.state == "connected"
    yield lambda: not link._followed
    with in_window():
        assert bpy.ops.tweed.import_character(character="one") == {"FINISHED"}
    before = heads(bpy.data.objects["one"])
    yield lambda: moved(bpy.data.objects["one"], before)


bpy.context.preferences.view.show_splash = False
bpy.context.preferences.system.viewport_aa = "OFF"  # a display without a graphics card is slow
todo = steps()
waiting = None


def run():
    global waiting
    try:
        if waiting is None:
            connect_without_turning()
            waiting = next(todo)
        elif waiting():
            waiting = next(todo)
        assert time.monotonic() < DEADLINE, f"line {todo.gi_frame.f_lineno}: still waiting; {link.state}: {link.message}"
    except StopIteration:
        finish(0)
    except BaseException:
        traceback.print_exc()
        finish(3)
    return .02


def connect_without_turning():
    preferences = bpy.context.preferences.addons["tweed_live_link"].preferences
    preferences.host, preferences.port = "127.0.0.1", PORT
    assert bpy.ops.tweed.connect() == {"FINISHED"}


def finish(status):
    sys.stdout.flush()
    sys.stderr.flush()
    link.disconnect()
    os._exit(status)


bpy.app.timers.register(run, first_interval=.5, persistent=True)
