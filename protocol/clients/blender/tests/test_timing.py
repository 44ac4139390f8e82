"""When poses go out, and what lies between them."""
import math
import sys
from array import array

import pytest
from conftest import HERE

sys.path.insert(0, str(HERE.parent / "tweed_live_link"))
import timing  # noqa: E402


@pytest.mark.parametrize("before, now, elapsed, playing, jump", [
    (10, 11, .04, True, False), (10, 11, .04, False, False),  # the next frame
    (10, 9, 1, False, True), (240, 1, .04, True, True),       # back, or round from the end
    (10, 20, .4, True, False),                                # playing, and dropping frames
    (10, 20, 9, False, True), (10, 200, .4, True, True)])     # a click into the timeline
def test_jumps_of_the_timeline(before, now, elapsed, playing, jump):
    assert timing.is_jump(before, now, 24, elapsed, playing) is jump


def test_ticks_of_frames():
    assert list(timing.frame_times(1, 5, 24, 60)) == [(1, 0), (2, 3), (3, 5), (4, 8), (5, 10)]
    assert [ticks for _, ticks in timing.frame_times(7, 9, 30, 60)] == [0, 2, 4]


def turned(angle):
    return {"bone": ([angle, 0, 0], [math.sin(angle / 2), 0, 0, math.cos(angle / 2)])}


def angle_of(pose):
    return 2 * math.atan2(pose["bone"][1][0], pose["bone"][1][3])


def test_poses_between_frames_are_filled_in():
    smooth = timing.Smooth()
    assert smooth.due(0) is None
    smooth.add(turned(0), 0)
    assert angle_of(smooth.due(0)) == 0 and smooth.due(.01) is None
    smooth.add(turned(.04), .04)
    sent = [(now, smooth.due(now)) for now in (.05, .06, .07, .08, .09)]
    assert [round(angle_of(pose), 6) for _, pose in sent[:4]] == [.01, .02, .03, .04]
    assert sent[4][1] is None
    assert not smooth.add(turned(.04), .1), "nothing has changed"


def test_a_jump_is_not_filled_in():
    smooth = timing.Smooth()
    smooth.add(turned(0), 0)
    smooth.add(turned(2), .04, at_once=True)
    assert angle_of(smooth.due(.04)) == pytest.approx(2)
    smooth.add(turned(1), 3)  # the first after a long time: there is nothing to fill in
    assert angle_of(smooth.due(3)) == pytest.approx(1)


def test_the_short_way_round():
    negative = {"bone": (None, [-part for part in turned(.2)["bone"][1]])}
    between = timing.blend(turned(0), negative, .5)
    assert abs(angle_of(between)) == pytest.approx(.1)


def test_rows_at_other_times():
    rows = [array("f", [0, 10]), array("f", [1, 20]), array("f", [3, 20])]
    found = timing.resample([0, 1, 3], rows, [-1, 0, .5, 1, 2, 9])
    assert [list(row) for row in found] == [[0, 10], [0, 10], [.5, 15], [1, 20], [2, 20], [3, 20]]
    assert [list(row) for row in timing.resample([5], rows[:1], [4, 6])] == [[0, 10], [0, 10]]
