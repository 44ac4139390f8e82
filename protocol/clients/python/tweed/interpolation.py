"""Motion between frames: interpolation of two frames, and a timeline at a fixed delay behind the server."""
from __future__ import annotations

import math
from collections import deque
from dataclasses import replace

from .frames import Frame, Numbers

WINDOW = 2.0  # seconds in which the fastest frame is sought


class Timeline:
    """Frames of a view by simulation time, sampled `delay` seconds (0 to 10) behind the newest frame.

    The offset between the local clock and simulation time is the smallest `arrival - frame.time` of two seconds: that
    of the frame that travelled fastest. The sampled time never runs backwards, and stops where frames are missing:
    nothing is extrapolated.
    """

    def __init__(self, delay: float) -> None:
        if not 0 <= delay <= 10:
            raise ValueError(f"delay must be 0 to 10 seconds, not {delay}")
        self.delay = delay
        self._frames: dict[str, deque[Frame]] = {}
        self._lags: deque[tuple[float, float]] = deque()  # (arrival, lag), both rising
        self._shown = -math.inf

    def push(self, frame: Frame, arrival: float) -> None:
        """Adds a frame that arrived at `arrival`, in seconds of the local clock."""
        frames = self._frames.setdefault(frame.character, deque())
        if frames and frame.time < frames[-1].time:  # another server, or the same one started again
            self.restart()
            frames = self._frames[frame.character] = deque()
        lag = arrival - frame.time
        while self._lags and self._lags[-1][1] >= lag:
            self._lags.pop()
        self._lags.append((arrival, lag))
        while self._lags[0][0] < arrival - WINDOW:
            self._lags.popleft()
        if frames and frame.time == frames[-1].time:
            frames.pop()
        frames.append(frame)
        while len(frames) > 2 and frames[1].time < frame.time - self.delay - WINDOW:
            frames.popleft()  # not sampled

    def sample(self, now: float) -> dict[str, Frame]:
        """Returns every character at the moment to show at `now`, in seconds of the local clock."""
        if self._lags and self._frames:
            newest = max(frames[-1].time for frames in self._frames.values())
            self._shown = max(self._shown, min(now - self._lags[0][1] - self.delay, newest))
        return {name: _at(frames, self._shown) for name, frames in self._frames.items()}

    def resynchronise(self) -> None:
        """Estimates the offset again from the next frame on, because simulation time stood still."""
        self._lags.clear()

    def restart(self) -> None:
        """Removes all frames, because simulation time started again."""
        self._frames.clear()
        self._lags.clear()
        self._shown = -math.inf

    def remove(self, character: str) -> None:
        self._frames.pop(character, None)


def blend(earlier: Frame, later: Frame, fraction: float) -> Frame:
    """Returns the frame `fraction` (0 to 1) of the way between two frames of one character.

    Translations, scales, particles and wrinkles are interpolated linearly, rotations on the shortest arc at constant
    speed. Matrices are decomposed for that, without their shear. Between different revisions the result is the
    earlier frame.
    """
    if fraction <= 0 or earlier.static != later.static:
        return earlier
    mix = _trs if earlier.bones and len(earlier.bones[0]) == 10 else _matrix
    wrinkles = {garment: _lists(axes, later.wrinkles[garment], fraction) for garment, axes in earlier.wrinkles.items()}
    return replace(
        earlier,
        time=earlier.time + (later.time - earlier.time) * fraction,
        bones=[mix(a, b, fraction) for a, b in zip(earlier.bones, later.bones)],
        particles=_lists(earlier.particles, later.particles, fraction),
        references=_lists(earlier.references, later.references, fraction),
        wrinkles=wrinkles)


def _at(frames: deque[Frame], time: float) -> Frame:
    while len(frames) > 1 and frames[1].time <= time:
        frames.popleft()
    first = frames[0]
    if len(frames) == 1 or time <= first.time:
        return first
    return blend(first, frames[1], (time - first.time) / (frames[1].time - first.time))


def _line(a: Numbers, b: Numbers, fraction: float) -> Numbers:
    return [x + (y - x) * fraction for x, y in zip(a, b)]


def _lists(a: dict[str, Numbers], b: dict[str, Numbers], fraction: float) -> dict[str, Numbers]:
    return {name: _line(numbers, b[name], fraction) for name, numbers in a.items()}


def _arc(a: Numbers, b: Numbers, fraction: float) -> Numbers:
    """Shoemake's slerp of unit quaternions, the shorter way round."""
    cosine = sum(x * y for x, y in zip(a, b))
    sign = -1.0 if cosine < 0 else 1.0
    angle = math.acos(min(abs(cosine), 1.0))
    if angle < 1e-3:  # where the sines lose their digits, the chord is as good
        first, second = 1 - fraction, fraction * sign
    else:
        first, second = math.sin((1 - fraction) * angle), math.sin(fraction * angle) * sign
    mixed = [x * first + y * second for x, y in zip(a, b)]
    length = math.sqrt(sum(x * x for x in mixed))
    return [x / length for x in mixed]


def _trs(a: Numbers, b: Numbers, fraction: float) -> Numbers:
    if a == b:
        return a
    return _line(a[:3], b[:3], fraction) + _arc(a[3:7], b[3:7], fraction) + _line(a[7:], b[7:], fraction)


def _matrix(a: Numbers, b: Numbers, fraction: float) -> Numbers:
    return a if a == b else _compose(_trs(_decompose(a), _decompose(b), fraction))


def _decompose(m: Numbers) -> Numbers:
    """A matrix without shear as trs; a mirrored one has a negative x scale."""
    x, y, z = m[0:3], m[4:7], m[8:11]
    scale = [math.sqrt(sum(n * n for n in column)) or 1.0 for column in (x, y, z)]
    if x[0] * (y[1] * z[2] - y[2] * z[1]) + x[1] * (y[2] * z[0] - y[0] * z[2]) + x[2] * (y[0] * z[1] - y[1] * z[0]) < 0:
        scale[0] = -scale[0]
    return m[12:15] + _quaternion([[n / s for n in column] for column, s in zip((x, y, z), scale)]) + scale


def _quaternion(columns: list[Numbers]) -> Numbers:
    """The unit quaternion of a rotation, from the largest of its four numbers (Shepperd 1978)."""
    (xx, yx, zx), (xy, yy, zy), (xz, yz, zz) = columns
    squares = [1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz]  # 4x², 4y², 4z², 4w²
    largest = squares.index(max(squares))
    products = [[squares[0], xy + yx, xz + zx, zy - yz], [xy + yx, squares[1], yz + zy, xz - zx],
                [xz + zx, yz + zy, squares[2], yx - xy], [zy - yz, xz - zx, yx - xy, squares[3]]][largest]
    length = math.sqrt(sum(n * n for n in products))
    return [n / length for n in products]


def _compose(trs: Numbers) -> Numbers:
    tx, ty, tz, x, y, z, w, sx, sy, sz = trs
    return [(1 - 2 * (y * y + z * z)) * sx, 2 * (x * y + z * w) * sx, 2 * (x * z - y * w) * sx, 0.0,
            2 * (x * y - z * w) * sy, (1 - 2 * (x * x + z * z)) * sy, 2 * (y * z + x * w) * sy, 0.0,
            2 * (x * z + y * w) * sz, 2 * (y * z - x * w) * sz, (1 - 2 * (x * x + y * y)) * sz, 0.0,
            tx, ty, tz, 1.0]
