"""Keeps what the server simulates as keyframes: while it runs, or a shot frame by frame."""
from __future__ import annotations

import time
from array import array
from collections.abc import Iterator, Sequence
from typing import Any, Optional

import bpy
from mathutils import Matrix, Quaternion

from .binding import Binding
from .drive import Drive
from .follow import Follower, simulated
from .link import Link
from .objects import drivers, followers, search, showing
from .timing import frame_times, resample
from .tweed.frames import Frame

PART = 10  # numbers of a bone in a row: location, rotation w x y z, scale
LINEAR = 1  # of Keyframe.interpolation
READY_WITHIN = 10.0  # s
RECORDED = "tweed_recorded"  # marks actions

Old = dict[tuple[str, int], Any]  # curves that were there before


class Take:
    """The poses of one armature, a row of numbers for each moment."""

    def __init__(self, armature: Any, binding: Binding) -> None:
        self.armature: str = armature.name
        self.bones = simulated(armature, binding)
        self.times: list[float] = []
        self.rows: list[array[float]] = []

    def add(self, time: float, armature: Any) -> None:
        """Adds the armature's pose at a time; one that is not later than the last is left out."""
        if self.times and time <= self.times[-1]:
            return
        row, before = array("f"), self.rows[-1] if self.rows else None
        for number, name in enumerate(self.bones):
            bone = armature.pose.bones.get(name)  # None: removed meanwhile
            location, rotation, scale = (bone.matrix_basis if bone is not None else Matrix()).decompose()
            last = before[PART * number + 3:PART * number + 7] if before is not None else rotation
            if sum(a * b for a, b in zip(rotation, last)) < 0:
                rotation.negate()  # the same rotation, on the way that curves take
            row.extend((*location, *rotation, *scale))
        self.times.append(time)
        self.rows.append(row)

    def write(self, frames: Sequence[float], rows: Sequence[array[float]]) -> None:
        """Writes rows as keyframes of the armature's action."""
        armature = bpy.data.objects[self.armature]
        curves = _curves(armature)
        old = {(curve.data_path, curve.array_index): curve for curve in curves}
        for number, name in enumerate(self.bones):
            bone = armature.pose.bones.get(name)
            if bone is None:
                continue
            own = [row[PART * number:PART * number + PART] for row in rows]
            _write(curves, old, bone, "location", frames, [part[:3] for part in own])
            _write_rotation(curves, old, bone, frames, [part[3:7] for part in own])
            if any(abs(scale - 1) > 1e-5 for part in own for scale in part[7:]):
                _write(curves, old, bone, "scale", frames, [part[7:] for part in own])
        _assign_slot(armature)
        armature.animation_data.action[RECORDED] = True
        armature.tweed.follow = False  # what is shown now is the recording


class Live:
    """Records armatures as they follow, in the server's time, from the scene's present frame on."""

    def __init__(self) -> None:
        self.takes: dict[str, Take] = {}
        self.first = 0  # the scene's frame where recording began: the timeline may play meanwhile
        self.is_on = False

    def begin(self, scene: Any) -> None:
        self.takes, self.first, self.is_on = {}, scene.frame_current, True

    def add(self, posed: list[tuple[Any, Frame]], follower: Follower) -> None:
        """Takes the poses of armatures that have a new frame."""
        if not self.is_on:
            return
        for armature, frame in posed:
            binding = follower.bindings.known(armature)
            if binding is not None:
                self.takes.setdefault(armature.name, Take(armature, binding)).add(frame.time, armature)

    def end(self, scene: Any) -> int:
        """Writes the keyframes, on whole frames; returns how many frames there are."""
        self.is_on = False
        fps, first, most = _fps(scene), self.first, 0
        begin = min((take.times[0] for take in self.takes.values() if take.times), default=0.0)
        for take in self.takes.values():
            if take.times and take.armature in bpy.data.objects:
                count = int((take.times[-1] - begin) * fps) + 1
                rows = resample(take.times, take.rows, [begin + number / fps for number in range(count)])
                take.write(range(first, first + count), rows)
                most = max(most, count)
        self.takes = {}
        return most


def shot(link: Link, follower: Follower, drive: Drive, context: Any, start: int, end: int,
         preroll: float) -> Iterator[float]:
    """Records all armatures that follow, frame by frame, while the server is paused; yields the share that is done.

    The first frame is the server's present moment, after `preroll` seconds in the pose of that frame. Armatures that
    drive are evaluated at each tick. At the end, the keyframes are written.

    Where nothing follows, armatures that were recorded are recorded again.
    """
    search()
    again = [] if followers() else recorded()
    for armature in again:
        armature.tweed.follow = True
    if not followers():
        raise ValueError("no armature follows a character: tick Follow; a recording switches it off")
    try:
        yield from _shot(link, follower, drive, context.scene, start, end, preroll)
    except BaseException:  # Escape too
        for armature in again:
            armature.tweed.follow = False
        raise


def recorded() -> list[Any]:
    """Returns the armatures of the file that show a recording of their character."""
    return [armature for armature in showing() if not armature.library and armature.animation_data is not None
            and armature.animation_data.action is not None and RECORDED in armature.animation_data.action]


def _shot(link: Link, follower: Follower, drive: Drive, scene: Any, start: int, end: int,
          preroll: float) -> Iterator[float]:
    rate, armatures = link.tick_rate, followers()
    _get_ready(link, follower, drive)
    pauses = not link.request("server.stats")["paused"]  # a pause of others stays theirs
    if pauses:
        link.request("simulation.pause")
    drive.exact = True
    try:
        scene.frame_set(start)
        driving = list({armature.name_full: armature for armature, _ in drivers()}.values())
        for armature in driving:
            drive.send_now(link, armature, teleport=True)
        _step(link, follower, round(preroll * rate) or (1 if driving else 0))
        takes = [Take(armature, _bound(follower, armature)) for armature in armatures]
        ticks = 0
        for frame, wanted in frame_times(start, end, _fps(scene), rate):
            while ticks < wanted:
                ticks = _advance(link, follower, drive, scene, driving, start, ticks, wanted)
            for take, armature in zip(takes, armatures):
                take.add(frame, armature)
            yield (frame - start + 1) / (end - start + 1)
        for take in takes:
            take.write(take.times, take.rows)
    finally:
        drive.exact = False
        if pauses and link.state == "connected":
            link.request("simulation.resume")


def _advance(link: Link, follower: Follower, drive: Drive, scene: Any, driving: list[Any], start: int, ticks: int,
             wanted: int) -> int:
    """Simulates on: to the wanted tick at once, or a tick where armatures drive, with their pose at its end."""
    if not driving:
        _step(link, follower, wanted - ticks)
        return wanted
    at = start + (ticks + 1) / link.tick_rate * _fps(scene)
    scene.frame_set(int(at), subframe=at - int(at))
    for armature in driving:
        drive.send_now(link, armature)
    _step(link, follower, 1)
    return ticks + 1


def _get_ready(link: Link, follower: Follower, drive: Drive) -> None:
    """Waits until armatures have their first frame, and those that drive are bound."""
    deadline = time.monotonic() + READY_WITHIN
    while True:
        link.poll()
        follower.step(link)
        drive.step(link)
        left = [(armature, armature.tweed.character) for armature in followers()
                if follower.bindings.known(armature) is None]
        left += [(armature, character) for armature, character in drivers() if not drive.is_ready(armature)]
        if not left:
            return
        if time.monotonic() > deadline:
            raise TimeoutError(f"{left[0][0].name}: the server has no character {left[0][1]}")
        time.sleep(.001)


def _step(link: Link, follower: Follower, ticks: int) -> None:
    """Simulates so many ticks, and poses the armatures by the last of them."""
    if ticks > 0:
        tick = link.request("simulation.step", ticks=ticks)["tick"]
        deadline = time.monotonic() + READY_WITHIN
        wanted = {armature.tweed.character for armature in followers()} & set(link.characters)
        while any(name not in link.frames or link.frames[name].tick < tick for name in wanted):
            link.poll()
            if time.monotonic() > deadline:
                raise TimeoutError(f"no frame of tick {tick}")
    follower.step(link)


def _bound(follower: Follower, armature: Any) -> Binding:
    binding = follower.bindings.known(armature)
    assert binding is not None
    return binding


def _fps(scene: Any) -> float:
    return float(scene.render.fps / scene.render.fps_base)


# --- curves ---

def _curves(armature: Any) -> Any:
    """Returns the F-curves of the armature's action, which is made where there is none."""
    animation = armature.animation_data_create()
    if animation.action is None:
        animation.action = bpy.data.actions.new(f"{armature.name} tweed")
    if hasattr(animation.action, "fcurves"):
        return animation.action.fcurves
    from bpy_extras import anim_utils  # since Blender 5.0, curves are in the slots of actions
    if animation.action_slot is None:
        slots = animation.action.slots
        animation.action_slot = slots[0] if slots else slots.new("OBJECT", armature.name)
    return anim_utils.action_ensure_channelbag_for_slot(animation.action, animation.action_slot).fcurves


def _assign_slot(armature: Any) -> None:
    """Since Blender 4.4, an action moves nothing until one of its slots is chosen."""
    animation = armature.animation_data
    if getattr(animation, "action_slot", True) is None and animation.action.slots:
        animation.action_slot = animation.action.slots[0]


def _write_rotation(curves: Any, old: Old, bone: Any, frames: Sequence[float],
                    rotations: Sequence[Sequence[float]]) -> None:
    if bone.rotation_mode == "AXIS_ANGLE":
        bone.rotation_mode = "QUATERNION"
    if bone.rotation_mode == "QUATERNION":
        _write(curves, old, bone, "rotation_quaternion", frames, rotations)
        return
    before: Optional[Any] = None
    angles = []
    for rotation in rotations:
        quaternion = Quaternion(rotation)
        before = quaternion.to_euler(bone.rotation_mode, before) if before else quaternion.to_euler(bone.rotation_mode)
        angles.append(tuple(before))
    _write(curves, old, bone, "rotation_euler", frames, angles)


def _write(curves: Any, old: Old, bone: Any, channel: str, frames: Sequence[float],
           rows: Sequence[Sequence[float]]) -> None:
    path = bone.path_from_id(channel)
    for index in range(len(rows[0])):
        if (path, index) in old:
            curves.remove(old.pop((path, index)))
        curve = _new_curve(curves, path, index, bone.name)
        curve.keyframe_points.add(len(rows))
        curve.keyframe_points.foreach_set("co", [number for frame, row in zip(frames, rows)
                                                 for number in (frame, row[index])])
        curve.keyframe_points.foreach_set("interpolation", [LINEAR] * len(rows))
        curve.update()


def _new_curve(curves: Any, path: str, index: int, group: str) -> Any:
    """The parameter for the group has another name since Blender 5.0."""
    try:
        return curves.new(path, index=index, action_group=group)
    except TypeError:
        return curves.new(path, index=index, group_name=group)
