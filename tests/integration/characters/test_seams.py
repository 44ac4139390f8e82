"""The jacket's front, buttoned by its script's commands while the man moves."""
import numpy as np
import pytest
from geometry import Recorder, vertical_stretch

RATE = 60


@pytest.mark.parametrize("motion", ["walk", "jump"])
def test_it_is_buttoned_and_opened_in_motion(client, motion):
    def call(command):
        client.request("character.call", character="alan", command=command)

    call(motion)
    recorder = Recorder(client, "alan")
    jacket = next(garment for garment in recorder.description["garments"] if garment["name"] == "jacket")
    rows, columns = jacket["rows"], jacket["columns"]

    def gaps(take):
        grid = take.particles["jacket"].reshape(len(take.ticks), rows, columns, 3)
        return np.linalg.norm(grid[:, 1:6, 0] - grid[:, 1:6, columns - 1], axis=-1)

    assert gaps(recorder.record(RATE)).max() > 0.05
    rest = np.array(jacket["rest"]).reshape(-1, 3)
    call("button")
    closing, closed = recorder.record(RATE // 4), recorder.record(6 * RATE)
    call("unbutton")
    opened = recorder.record(RATE)
    assert gaps(closed).max() < 0.005
    assert gaps(opened)[RATE // 2:].max() > 0.03
    for take in (closing, closed, opened):
        assert vertical_stretch(take.particles["jacket"], rest, rows, columns).max() <= 1e-5
