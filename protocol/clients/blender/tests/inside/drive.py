"""An animated armature drives a character, and a second armature follows it: both stand alike.

The first has a constraint and an object's transform of its own, so what goes out is what Blender has evaluated.
"""
import time

import bpy
from mathutils import Matrix, Quaternion
from stage import ARGUMENTS, connected, import_character, link, turn_until
from tweed_live_link import objects, session

CLOSE = 1e-4  # m, and share of a matrix
scene = bpy.context.scene
scene.render.fps = 60
connected(ARGUMENTS[0])

driver = import_character("one")
driver.tweed.follow = False
follower = import_character("one")
assert follower is not driver and follower.tweed.follow
driver.location, driver.rotation_mode = (.5, -.25, .1), "QUATERNION"
driver.rotation_quaternion = Quaternion((0, 0, 1), .7)
for bone in driver.pose.bones:
    bone.matrix_basis = Matrix()
mast = driver.pose.bones["mast"]
for frame, angle in ((1, 0), (60, .9)):
    mast.rotation_quaternion = Quaternion((1, .3, .2), angle)
    mast.keyframe_insert("rotation_quaternion", frame=frame)
    driver.pose.bones["foot"].location = (angle / 5, 0, angle / 9)
    driver.pose.bones["foot"].keyframe_insert("location", frame=frame)
twist = driver.pose.bones["top"].constraints.new("LIMIT_ROTATION")
twist.use_limit_x, twist.min_x, twist.max_x = True, .3, .3
scene.frame_set(1)

driver.tweed.drive = True
turn_until(lambda: session.drive.is_ready(driver))
session.drive.exact = True
link.request("simulation.pause")
session.drive.send_now(link, driver, teleport=True)
worst = 0.0
for frame in range(1, 61):
    scene.frame_set(frame)
    session.drive.send_now(link, driver)
    tick = link.request("simulation.step", ticks=1)["tick"]
    turn_until(lambda: link._ticks.get("one") == tick)
    bpy.context.view_layer.update()
    for name in ("foot", "mast", "top"):
        one = driver.matrix_world @ driver.pose.bones[name].matrix
        other = follower.matrix_world @ follower.pose.bones[name].matrix
        worst = max(worst, max(abs(a - b) for row, others in zip(one, other) for a, b in zip(row, others)))
print("largest difference:", worst)
assert worst < CLOSE
assert (follower.pose.bones["top"].head - driver.data.bones["top"].head_local).length > .2

# Live: the timer sends poses at most once a tick, fills in between frames, and sends nothing once the last has arrived.
def turn(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        session.step()
        time.sleep(.002)


def teleports(driven):
    """Notes for each pose that is sent whether it is a jump."""
    sent, pose = [], driven.pose
    driven.pose = lambda bones, teleport=False: (sent.append(teleport), pose(bones, teleport=teleport))[1]
    return sent


session.drive.exact = False
jumps = teleports(session.drive._of(driver)[0].driver)
sequence = session.drive._of(driver)[0].driver
turn(.1)
before, began, first = sequence.sequence, time.monotonic(), len(jumps)
for frame in range(20, 30):
    scene.frame_set(frame)
    turn(.04)
turn(.2)
assert jumps[first] and not any(jumps[first + 1:]), "from frame 60 back to 20, and then one by one"
sent = sequence.sequence - before
assert 15 <= sent <= (time.monotonic() - began) * link.tick_rate * 1.2, sent
turn(.1)
assert sequence.sequence - before == sent
tick = link.request("simulation.step", ticks=1)["tick"]
turn_until(lambda: link._ticks.get("one") == tick)
bpy.context.view_layer.update()
tops = [armature.matrix_world @ armature.pose.bones["top"].head for armature in (driver, follower)]
apart = tops[1] - tops[0]
assert apart.length < CLOSE, apart.length

# A script that is loaded anew plays its clip again. The armature drives on all the same.
link.request("script.reload", script="characters/mast")
turn(.5)
tick = link.request("simulation.step", ticks=30)["tick"]
turn_until(lambda: link._ticks.get("one") == tick)
bpy.context.view_layer.update()
tops = [armature.matrix_world @ armature.pose.bones["top"].head for armature in (driver, follower)]
assert (tops[1] - tops[0]).length < CLOSE, tops

# A copy that is to drive as well does not, and Status says so; it does when the first no longer does.
copy = driver.copy()
bpy.context.collection.objects.link(copy)
objects.search()
turn(.1)
assert [driven.armature for driven in session.drive._driven.values()] == [driver.name]
assert objects.idle_drivers() == [(copy, driver, "one")]
driver.tweed.drive = False
turn_until(lambda: [driven.armature for driven in session.drive._driven.values()] == [copy.name])
assert not objects.idle_drivers()
driver.tweed.drive = True
bpy.data.objects.remove(copy)
turn_until(lambda: session.drive.is_ready(driver) and len(session.drive._driven) == 1)

# No longer driven, the bones are the script's again.
driver.tweed.drive = False
turn_until(lambda: not session.drive._driven)
