"""Records a shot frame by frame, one that is driven, and live; the keyframes stand where the server had the bones."""
import bpy
import numpy
from harness import Client
from stage import ARGUMENTS, connected, import_character, link, step
from tweed_live_link import record, session

CLOSE = 1e-4  # m
scene = bpy.context.scene
scene.render.fps, scene.frame_start, scene.frame_end = 24, 1, 20
connected(ARGUMENTS[0])
armature = import_character("two")
names = [bone["name"] for bone in link.request("character.describe", character="two")["bones"]]
observer = Client(("127.0.0.1", int(ARGUMENTS[0])))


def heads():
    return numpy.array([armature.matrix_world @ armature.pose.bones[name].head for name in names])


def frames_of(view):
    """The heads of bones that were streamed, by tick."""
    found = {}
    observer.drain(.2)
    for frame in observer.take("stream.frame"):
        points = numpy.array([bone[12:15] for bone in frame["bones"]])
        found[frame["tick"]] = numpy.stack([points[:, 0], -points[:, 2], points[:, 1]], axis=1)
    observer.request("stream.unsubscribe", view=view)
    return found


def keyed():
    return {curve.data_path.split('"')[1] for curve in armature.animation_data.action.fcurves}


def subscribe():
    return observer.subscribe(characters=["two"], policy="queue", static=False)["view"]


def session_shot():
    return record.shot(link, session.follower, session.drive, bpy.context, 1, 20, .5)


# What the server plays: 24 frames a second of 60 ticks, so that a frame is the tick that is nearest.
view = subscribe()
first = link.request("session.ping")["tick"] + 30  # after the preroll
assert bpy.ops.tweed.record_shot(preroll=.5) == {"FINISHED"}
assert keyed() == set(names) and not armature.tweed.follow
streamed, worst = frames_of(view), 0.0
for frame in range(1, 21):
    scene.frame_set(frame)
    worst = max(worst, abs(heads() - streamed[first + int((frame - 1) * 2.5 + .5)]).max())
print("a shot, m:", worst)
assert worst < CLOSE
for curve in armature.animation_data.action.fcurves:
    assert [point.co.x for point in curve.keyframe_points] == list(range(1, 21))

# What Blender animates: its keys stay, the simulated bones get theirs, and stand as the server has them. At 30 frames a
# second, frames and ticks fall together.
scene.render.fps = 30
armature.animation_data_clear()
for bone in armature.pose.bones:
    bone.matrix_basis.identity()
mast = armature.pose.bones["mast"]
for frame, angle in ((1, 0), (20, 1.2)):
    mast.rotation_quaternion = (1, angle / 2, 0, angle / 3)
    mast.keyframe_insert("rotation_quaternion", frame=frame)
armature.tweed.follow = armature.tweed.drive = True
view = subscribe()
assert bpy.ops.tweed.record_shot(preroll=.5) == {"FINISHED"}
last = link.request("session.ping")["tick"]
assert keyed() == set(names) - {"foot", "top"}  # the artist's own, and those that the server moves
assert [point.co.x for point in armature.animation_data.action.fcurves.find(
    'pose.bones["mast"].rotation_quaternion').keyframe_points] == [1, 20]
streamed, worst = frames_of(view), 0.0
first = last - 19 * 2
for frame in range(1, 21):
    scene.frame_set(frame)
    worst = max(worst, abs(heads() - streamed[first + 2 * (frame - 1)]).max())
print("a driven shot, m:", worst)
assert worst < CLOSE
assert not session.drive.exact

scene.render.fps = 24

# Where nothing follows, what was recorded is recorded again, and an end that is too early changes nothing.
curve = armature.animation_data.action.fcurves.find('pose.bones["bell"].location')
before = [tuple(point.co) for point in curve.keyframe_points]
steps = session_shot()
next(steps)
assert armature.tweed.follow
steps.close()
assert not armature.tweed.follow and not session.drive.exact
assert [tuple(point.co) for point in curve.keyframe_points] == before
assert bpy.ops.tweed.record_shot(preroll=.5) == {"FINISHED"} and not armature.tweed.follow
again = armature.animation_data.action.fcurves.find('pose.bones["bell"].location')
assert len(again.keyframe_points) == 20 and [tuple(point.co) for point in again.keyframe_points] != before

# Two takes from the same state are equal.
takes = []
for _ in range(2):
    link.request("character.reset", character="two")
    assert bpy.ops.tweed.record_shot(preroll=.5) == {"FINISHED"}
    takes.append({(curve.data_path, curve.array_index): [tuple(point.co) for point in curve.keyframe_points]
                  for curve in armature.animation_data.action.fcurves})
assert takes[0] == takes[1], max(abs(a[1] - b[1]) for path in takes[0] for a, b in zip(takes[0][path], takes[1][path]))

del armature.animation_data.action["tweed_recorded"]  # as an action of the artist's
try:
    bpy.ops.tweed.record_shot()
    raise AssertionError("recorded, although nothing follows")
except RuntimeError as error:
    assert "a recording switches it off" in str(error), error

# Live, from frame 100 on: 61 ticks are 24 frames and the first.
armature.animation_data_clear()
armature.tweed.follow, armature.tweed.drive = True, False
scene.frame_set(100)
step(armature)
assert bpy.ops.tweed.record_live() == {"FINISHED"}
for _ in range(61):
    step(armature)
end = heads()
scene.frame_set(110)  # the timeline plays meanwhile
assert bpy.ops.tweed.record_live() == {"FINISHED"}
curve = armature.animation_data.action.fcurves[0]
assert [point.co.x for point in curve.keyframe_points] == list(range(100, 125))
scene.frame_set(124)
assert abs(heads() - end).max() < CLOSE
scene.frame_set(100)
assert abs(heads() - end).max() > .01

# Mistakes are said, and change nothing.
armature.tweed.follow = True
for wrong, words in (({"frame_start": 9, "frame_end": 3}, "is before the first"),
                     ({"address": "nowhere"}, "expected HOST:PORT"), ({"address": "127.0.0.1:1"}, "nothing listens")):
    try:
        bpy.ops.tweed.record_shot(**wrong)
        raise AssertionError(wrong)
    except RuntimeError as error:
        assert words in str(error), error
