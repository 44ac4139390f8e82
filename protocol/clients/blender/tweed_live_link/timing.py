"""When poses go out, and what lies between them. Pure Python, no bpy.

A pose is {bone: (position or None, rotation)}: 3 numbers, and 4 of a unit quaternion x, y, z, w.
"""
from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from typing import Optional

Numbers = Sequence[float]
Pose = dict[str, tuple[Optional[Numbers], Numbers]]

LEAP = .25  # s of the timeline; a longer way at once is a jump, unless Blender plays and drops frames
LONGEST = .1  # s from one sample to the next that is filled in between


def is_jump(before: float, now: float, fps: float, elapsed: float, playing: bool) -> bool:
    """Returns whether the timeline jumped from frame `before` to `now`, `elapsed` seconds later."""
    leap = LEAP + (1.5 * elapsed if playing else 0)
    return now < before or (now - before) / fps > leap


def frame_times(start: int, end: int, fps: float, tick_rate: float) -> Iterator[tuple[int, int]]:
    """Yields each frame of a shot with the number of ticks from its start to that frame."""
    for frame in range(start, end + 1):
        yield frame, math.floor((frame - start) * tick_rate / fps + .5)


class Smooth:
    """Fills in between poses that come less often than ticks, one sample behind: so cloth meets no jerks."""

    def __init__(self) -> None:
        self._from: Pose = {}
        self._to: Pose = {}
        self._begin = self._last = -math.inf
        self._duration = 0.0
        self._sent_end = True

    def add(self, pose: Pose, now: float, at_once: bool = False) -> bool:
        """Takes a sample, or a jump to it; returns whether it differs from the one before."""
        if not at_once and same(pose, self._to):
            return False
        apart, self._last = now - self._last, now
        self._from = {} if at_once or apart > LONGEST else self.at(now)
        self._to, self._begin, self._sent_end = pose, now, False
        self._duration = apart if self._from else 0.0
        return True

    def at(self, now: float) -> Pose:
        """Returns the pose at a time."""
        share = 1.0 if self._duration <= 0 else min(1.0, max(0.0, (now - self._begin) / self._duration))
        return self._to if share >= 1 else blend(self._from, self._to, share)

    def due(self, now: float) -> Optional[Pose]:
        """Returns the pose to send, or None when the last one was sent already."""
        if self._sent_end:
            return None
        self._sent_end = now >= self._begin + self._duration
        return self.at(now)


def same(one: Pose, other: Pose, within: float = 1e-6) -> bool:
    """Returns whether two poses are equal but for noise."""
    return one.keys() == other.keys() and all(
        _near(position, other[name][0], within) and _near(rotation, other[name][1], within)
        for name, (position, rotation) in one.items())


def _near(one: Optional[Numbers], other: Optional[Numbers], within: float) -> bool:
    if one is None or other is None:
        return one is other
    return all(abs(a - b) <= within for a, b in zip(one, other))


def blend(one: Pose, other: Pose, share: float) -> Pose:
    """Returns the pose between two, the other's where only it has a bone."""
    between: Pose = {}
    for name, (position, rotation) in other.items():
        before = one.get(name)
        if before is None:
            between[name] = position, rotation
            continue
        if position is not None and before[0] is not None:
            position = [a + share * (b - a) for a, b in zip(before[0], position)]
        between[name] = position, _turn(before[1], rotation, share)
    return between


def _turn(one: Numbers, other: Numbers, share: float) -> list[float]:
    """Returns the normalised linear blend of two quaternions: for small angles as good as the arc's."""
    sign = -1.0 if sum(a * b for a, b in zip(one, other)) < 0 else 1.0
    mixed = [(1 - share) * a + share * sign * b for a, b in zip(one, other)]
    length = math.sqrt(sum(part * part for part in mixed)) or 1.0
    return [part / length for part in mixed]


def resample(times: Sequence[float], rows: Sequence[array[float]], at: Sequence[float]) -> list[array[float]]:
    """Returns the rows at other times, in between linearly, before the first and after the last as these are."""
    found, place = [], 0
    for time in at:
        while place + 1 < len(times) and times[place + 1] <= time:
            place += 1
        one, other = rows[place], rows[min(place + 1, len(rows) - 1)]
        span = times[min(place + 1, len(times) - 1)] - times[place]
        share = min(1.0, max(0.0, (time - times[place]) / span)) if span > 0 else 0.0
        found.append(array("f", (a + share * (b - a) for a, b in zip(one, other))))
    return found
