"""Poses the server's characters as armatures are animated in Blender, after constraints and drivers."""
from __future__ import annotations

import time
from typing import Any, Optional

import bpy
from mathutils import Matrix, Quaternion, Vector

from .binding import Binding, Bindings, place_of
from .link import Link
from .objects import drivers
from .timing import Numbers, Pose, Smooth, is_jump, same
from .tweed.aio import Driver

ROOT = ""  # in a pose: the place of the character's root in the world


class Driven:
    """An armature, by its name, that drives a character over one connection."""

    def __init__(self, link: Link, armature: str, character: str) -> None:
        self.armature, self.character = armature, character
        self._link, self._connection, self.loads = link, link.connection, link.loads
        self.description: Optional[dict[str, Any]] = None
        self._bindings = Bindings()
        self.driver: Driver = link.client.drive(self.character, ignore_unknown=True)
        self.smooth = Smooth()
        self.root: Optional[tuple[Optional[Numbers], Numbers]] = None
        self.teleport = True  # the first pose is a jump
        self.sent = 0.0

    def is_connected(self) -> bool:
        """Returns whether its connection is the one that there is now."""
        return self._link.state == "connected" and self._link.connection == self._connection

    def pose(self, armature: Any, depsgraph: Any) -> Pose:
        """Returns the armature's pose, evaluated. Call once the description is there."""
        assert self.description is not None
        return pose_of(armature.evaluated_get(depsgraph), self._bindings.of(armature, self.description))

    def forget(self) -> None:
        self._bindings.forget()


class Drive:
    """Samples armatures when Blender has evaluated them, and sends their poses at most once a tick.

    exact  while a shot is recorded: nothing is sent but by `send_now`
    """

    def __init__(self) -> None:
        self._driven: dict[tuple[str, str], Driven] = {}
        self._frame: tuple[float, float] = (0, 0)  # of the timeline, and when it was there
        self.exact = False

    def step(self, link: Link) -> None:
        """Begins and ends to drive as the file says, and sends what is due."""
        if link.state != "connected":
            self._driven.clear()
            return
        driving = {(armature.name_full, character) for armature, character in drivers() if character in link.characters}
        for key, driven in list(self._driven.items()):
            if not driven.is_connected():
                del self._driven[key]
            elif key not in driving:
                self._end(link, key)
            elif driven.loads != link.loads:  # its script may be another one, which plays a clip again
                self._go_on(link, key)
        for key in driving:
            if key not in self._driven:
                self._begin(link, key)
            elif not self.exact:
                self._send_due(link, self._driven[key])

    def forget(self) -> None:
        """Bones may be others under the same names: armatures are bound anew."""
        for driven in self._driven.values():
            driven.forget()

    def changed(self, scene: Any, depsgraph: Any) -> None:
        """Takes the poses of armatures that Blender evaluated, on the same frame."""
        self._sample(depsgraph, jump=False)

    def frame_changed(self, scene: Any, depsgraph: Any) -> None:
        """Takes the poses of a new frame."""
        now, (before, then) = time.monotonic(), self._frame
        frame = scene.frame_current_final
        self._frame = frame, now
        fps = scene.render.fps / scene.render.fps_base
        self._sample(depsgraph, is_jump(before, frame, fps, now - then, _is_playing()))

    def send_now(self, link: Link, armature: Any, teleport: bool = False) -> None:
        """Sends the present pose of an armature and waits until it is written. Raises as the client does."""
        for driven in self._of(armature):
            if driven.description is None:
                raise ValueError(f"{armature.name} does not drive {driven.character} yet")
            pose = driven.pose(armature, bpy.context.evaluated_depsgraph_get())
            link.wait(_send(link, driven, pose, teleport))

    def is_ready(self, armature: Any) -> bool:
        """Returns whether the armature drives all that it is to drive."""
        wanted = [character for driver, character in drivers() if driver == armature]
        bound = [driven.character for driven in self._of(armature) if driven.description is not None]
        return sorted(wanted) == sorted(bound)

    def _of(self, armature: Any) -> list[Driven]:
        return [driven for driven in self._driven.values()
                if driven.armature == armature.name_full and driven.is_connected()]

    # --- one armature ---

    def _begin(self, link: Link, key: tuple[str, str]) -> None:
        self._driven[key] = Driven(link, *key)
        self._bind(link, key)

    def _go_on(self, link: Link, key: tuple[str, str]) -> None:
        """Drives a character on whose script was loaded anew: sends all again, as no jump."""
        driven = self._driven[key]
        driven.loads, driven.root, driven.smooth = link.loads, None, Smooth()
        driven.forget()
        self._bind(link, key)

    def _bind(self, link: Link, key: tuple[str, str]) -> None:
        driven = self._driven[key]

        def described(description: dict[str, Any]) -> None:
            armature = bpy.data.objects.get(driven.armature)
            if armature is not None and self._driven.get(key) is driven:
                driven.description = description
                armature.update_tag()  # so that Blender evaluates it, and its pose is sampled
        link.start(link.client.request("character.stop", character=driven.character, fade=0))  # a clip moves the root
        link.start(link.client.request("character.describe", character=driven.character, axes="blender"), described)

    def _end(self, link: Link, key: tuple[str, str]) -> None:
        driven = self._driven.pop(key)
        if driven.driver.sequence and driven.character in link.characters:
            link.start(driven.driver.release())

    def _sample(self, depsgraph: Any, jump: bool) -> None:
        for driven in self._driven.values():
            armature = bpy.data.objects.get(driven.armature)
            if (armature is None or armature.type != "ARMATURE" or driven.description is None
                    or armature.mode == "EDIT"):
                continue
            pose = driven.pose(armature, depsgraph)
            at_once = jump or driven.teleport
            if driven.smooth.add(pose, time.monotonic(), at_once):
                driven.teleport = at_once

    def _send_due(self, link: Link, driven: Driven) -> None:
        now = time.monotonic()
        if now - driven.sent < .9 / link.tick_rate:
            return
        pose = driven.smooth.due(now)
        if pose is not None:
            driven.sent = now
            link.start(_send(link, driven, pose, driven.teleport))
            driven.teleport = False


async def _send(link: Link, driven: Driven, pose: Pose, teleport: bool) -> None:
    """Sends a pose, and the place of the root where that has changed."""
    root, bones = pose[ROOT], {name: bone for name, bone in pose.items() if name != ROOT}
    if driven.root is None or not same({ROOT: root}, {ROOT: driven.root}):
        driven.root = root
        await link.client.notify("character.move", character=driven.character, position=root[0], rotation=root[1],
                                 teleport=teleport)
    await driven.driver.pose(written(bones), teleport=teleport)


def pose_of(evaluated: Any, binding: Binding) -> Pose:
    """Returns the pose of an evaluated armature as the character's bones have it in their parents' spaces.

    The size of the armature is no part of it: the character keeps its own.
    """
    place, _ = place_of(evaluated)
    bones = evaluated.pose.bones
    resize = Matrix.Scale(binding.unit / binding.posed_scale(evaluated), 4)
    stands = [binding.upright @ bones[bound.name].matrix for bound in binding.bones]
    models = [resize @ stand @ bound.inverse for stand, bound in zip(stands, binding.bones)]
    pose: Pose = {ROOT: canonical(place @ binding.upright.inverted())}
    for bound, stand, model in zip(binding.bones, stands, models):
        if bound.kind != "skeleton":
            continue
        parent = models[bound.above] @ bound.between if bound.above >= 0 else bound.between
        local = parent.inverted() @ model
        if not binding.exact and bound.above < 0:  # moved as far as the character's legs are long
            moved = bound.bind.translation + (stand.translation - bound.rest.translation) / binding.ratio
            local.translation = parent.inverted() @ moved
        position, rotation = canonical(local)
        pose[bound.character] = position if binding.exact or bound.above < 0 else None, rotation
    return pose


def canonical(place: Matrix) -> tuple[list[float], list[float]]:
    """Returns position and quaternion x, y, z, w of a place, in the protocol's axes."""
    location: Vector
    rotation: Quaternion
    location, rotation, _ = place.decompose()
    return [location.x, location.z, -location.y], [rotation.x, rotation.z, -rotation.y, rotation.w]


def written(pose: Pose) -> dict[str, dict[str, list[float]]]:
    """Returns a pose as character.pose takes it."""
    return {name: {**({} if position is None else {"position": [round(part, 7) for part in position]}),
                   "rotation": [round(part, 7) for part in rotation]} for name, (position, rotation) in pose.items()}


def _is_playing() -> bool:
    return any(window.screen.is_animation_playing for window in bpy.context.window_manager.windows)
