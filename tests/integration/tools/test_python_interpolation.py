"""The Python client's motion between frames, against closed forms: no server takes part."""
import sys

import numpy as np
import pytest
from harness import ROOT

sys.path.insert(0, str(ROOT / "protocol/clients/python"))

from tweed import Clock, Frame, Static, Timeline, blend  # noqa: E402

BONES = Static("alan", 1, ("bone",))


def quaternion(axis, angle):
    return [*(np.array(axis) / np.linalg.norm(axis) * np.sin(angle / 2)), np.cos(angle / 2)]


def matrix(bone):
    """A trs as 16 numbers, column-major: Rodrigues' formula, not the quaternion's."""
    axis, angle = np.array(bone[3:6]), 2 * np.arctan2(np.linalg.norm(bone[3:6]), bone[6])
    x, y, z = axis / (np.linalg.norm(axis) or 1)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    whole = np.eye(4)
    whole[:3, :3] = (np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross) * bone[7:10]
    whole[:3, 3] = bone[:3]
    return [*whole.T.flatten()]


def frame(time, bone, static=BONES, **more):
    return Frame(static, round(time * 60), time, [list(bone)], **more)


@pytest.mark.parametrize("layout", ["trs", "matrix"])
@pytest.mark.parametrize("angle", [1e-5, 0.02, 1, 2.5, 3.1])
@pytest.mark.parametrize("sign", [1, -1])
def test_rotations_turn_at_constant_speed_the_shorter_way(layout, angle, sign):
    axis, begin = [1, -2, 0.5], 0.3
    write = matrix if layout == "matrix" else list
    first = [1, 2, 3, *quaternion(axis, begin), 1, 2, 3]
    last = [3, 2, -1, *(sign * np.array(quaternion(axis, begin + angle))), 2, 2, 1]
    for fraction in (0.25, 0.5, 0.9):
        between = blend(frame(1, write(first)), frame(2, write(last)), fraction)
        wanted = [*(np.array(first[:3]) * (1 - fraction) + np.array(last[:3]) * fraction),
                  *quaternion(axis, begin + angle * fraction),
                  *(np.array(first[7:]) * (1 - fraction) + np.array(last[7:]) * fraction)]
        assert between.bones[0] == pytest.approx(write(wanted), abs=1e-9)
        assert between.time == pytest.approx(1 + fraction)


def test_matrices_survive_being_taken_apart():
    """Half turns too, where a naive quaternion divides by zero, and a mirror."""
    for axis in ([1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 2, 3]):
        for angle in (0, 1, np.pi, -np.pi + 1e-9):
            for scale in ([1, 1, 1], [-1, 1, 1], [2, 0.5, 3]):
                whole = matrix([1, 2, 3, *quaternion(axis, angle), *scale])
                moved = [*whole[:12], 5, 2, 3, 1]
                half = blend(frame(0, whole), frame(1, moved), 0.5).bones[0]
                assert half == pytest.approx([*whole[:12], 3, 2, 3, 1], abs=1e-9)


def test_particles_references_and_wrinkles_go_straight():
    bone = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    first, last = (frame(time, bone, particles={"hood": [time, 0, 0]}, references={"hood": [0, time, 0]},
                         wrinkles={"hood": {"warp": [time], "weft": [2 * time]}}, sequence=time) for time in (1, 3))
    between = blend(first, last, 0.75)
    assert between.particles == {"hood": [2.5, 0, 0]} and between.references == {"hood": [0, 2.5, 0]}
    assert between.wrinkles == {"hood": {"warp": [2.5], "weft": [5]}} and between.sequence == 1


def test_revisions_are_not_blended():
    other = Static("alan", 2, ("other",))
    first, last = frame(0, [0] * 16), frame(1, [1] * 16, static=other)
    assert blend(first, last, 0.5) is first


def trs(x):
    return [x, 0, 0, 0, 0, 0, 1, 1, 1, 1]


def shown(timeline, now):
    return timeline.sample(now)["alan"].bones[0][0]


def test_a_timeline_hides_jitter_behind_its_delay():
    """Frames of a bone at x = time, each up to 80 ms late but the first: shown is x = now - 100 ms."""
    rng = np.random.default_rng(3)
    timeline, offset, arrivals = Timeline(0.1), 1000, []
    for number in range(240):
        late = 0 if number < 8 else rng.uniform(0, 0.08)
        arrivals.append((offset + number / 60 + late, number))
    arrivals = [(max(time for time, _ in arrivals[:n + 1]), number) for n, (_, number) in enumerate(arrivals)]
    pending, errors = list(arrivals), []
    for now in np.arange(offset, offset + 2, 0.003):
        while pending and pending[0][0] <= now:
            arrival, number = pending.pop(0)
            timeline.push(frame(number / 60, trs(number / 60)), arrival)
        if now > offset + 0.5:
            errors.append(shown(timeline, now) - (now - offset - 0.1))
    assert max(np.abs(errors)) < 1e-9


def test_it_holds_and_never_runs_backwards():
    timeline = Timeline(0.1)
    assert timeline.sample(5) == {}
    timeline.push(frame(0, trs(0)), 10)
    timeline.push(frame(1, trs(1)), 11)
    assert shown(timeline, 10.6) == pytest.approx(0.5)
    assert shown(timeline, 12) == 1, "the last one is held"
    timeline.resynchronise()
    assert shown(timeline, 13) == 1
    timeline.push(frame(1.05, trs(1.05)), 14)
    assert shown(timeline, 14) == 1, "not 0.95"
    assert shown(timeline, 14.08) == pytest.approx(1.03)
    timeline.resynchronise()
    timeline.push(frame(1.1, trs(1.1)), 15)
    assert shown(timeline, 15) == pytest.approx(1.03), "not 1"
    timeline.remove("alan")
    assert timeline.sample(15) == {}


def test_after_a_pause_the_delay_is_the_same_again():
    for tell in (True, False):
        timeline = Timeline(0.1)
        for number in range(60):
            timeline.push(frame(number / 60, trs(number / 60)), 10 + number / 60)
        pause = 0.5 if tell else 3  # untold, it shows once the window is over
        assert shown(timeline, 10.9 + pause) == 59 / 60
        if tell:
            timeline.resynchronise()
        for number in range(60, 90):
            timeline.push(frame(number / 60, trs(number / 60)), 10 + pause + number / 60)
        assert shown(timeline, 10 + pause + 89 / 60) == pytest.approx(89 / 60 - 0.1)


def test_a_server_that_starts_again_begins_a_new_timeline():
    timeline = Timeline(0.1)
    for number in range(600):
        timeline.push(frame(number / 60, trs(number / 60)), 10 + number / 60)
    for number in range(60):
        timeline.push(frame(number / 60, trs(number / 60)), 30 + number / 60)
    assert shown(timeline, 30.5) == pytest.approx(0.4)


def test_frames_that_nobody_samples_do_not_pile_up():
    timeline = Timeline(0.1)
    for number in range(10000):
        timeline.push(frame(number / 60, trs(0)), number / 60)
    assert len(timeline._frames["alan"]) < 2.2 * 60 and len(timeline._lags) < 2.1 * 60


def test_a_timeline_takes_a_sensible_delay():
    with pytest.raises(ValueError, match="delay must be 0 to 10 seconds, not -1"):
        Timeline(-1)


def test_the_quickest_ping_tells_the_clock():
    clock = Clock.of([(10, 110.9, 12), (20, 120.05, 20.1), (30, 131, 33)])
    assert (clock.offset, clock.error) == (pytest.approx(100), pytest.approx(0.05))
    assert clock.now(50) == pytest.approx(150)
