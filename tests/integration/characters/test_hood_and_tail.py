"""A hood keeps its shape and a tail its animation, and both still swing."""
import numpy as np
import pytest
from geometry import Recorder
from harness import ROOT

RATE = 60
SCENE = """
local tweed = require "tweed"
return tweed.scene { ground = 0, spawn = {
  { script = "characters/%s", name = "one", position = { 0, 0, 0 }, params = { clip = "%s" } },
} }
"""


def recorder_of(start, folder, character, clip):
    (folder / "scene.lua").write_text(SCENE % (character, clip))
    return Recorder(start(scene=folder / "scene.lua").client(), "one")


def directions(points):
    links = np.diff(points, axis=1)
    return links / np.linalg.norm(links, axis=-1, keepdims=True)


def degrees_off(take, name):
    """How far each link is from its direction in the references, [ticks][links]."""
    cosine = np.sum(directions(take.particles[name]) * directions(take.references[name]), axis=-1)
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))


def test_the_hood_stays_near_its_bind_pose(start, tmp_path):
    recorder = recorder_of(start, tmp_path, "wake", "stand")
    assert degrees_off(recorder.record(5 * RATE), "hood")[-1].max() <= 10
    for clip, seconds in ("dodge", 5), ("walk", 5), ("jump", 23):
        recorder.client.request("character.play", character="one", clip=clip, loop=True, fade=.2)
        off = degrees_off(recorder.record(seconds * RATE), "hood")
        assert off.max() <= 60, f"{clip}: {off.max():.1f} degrees"
        assert clip != "dodge" or off.max() > 20, "it still swings"


def test_a_tornado_does_not_turn_the_hood_inside_out(start):
    recorder = Recorder(start(scene=ROOT / "scripts/scenes/tornado.lua").client(), "alan")
    off = degrees_off(recorder.record(7 * RATE), "hood")
    assert 20 < off.max() <= 60


@pytest.mark.parametrize("speed", [1, .5])
def test_the_tail_swings_about_its_animation(start, tmp_path, speed):
    recorder = recorder_of(start, tmp_path, "wolf", "run")
    recorder.client.request("character.play", character="one", clip="run", loop=True, fade=0, speed=speed)
    recorder.record(2 * RATE)
    take = recorder.record(5 * RATE)
    matrices = take.bone_matrices()
    animated = np.stack([matrices[f"Tail0{i}"][:, :3, 3] for i in range(1, 7)], axis=1)
    assert np.abs(take.references["tail"] - animated).max() < 1e-4, "the references are the clip's tail"
    off = degrees_off(take, "tail")
    assert off.mean() <= 20 and off[:, 0].mean() < off[:, -1].mean()

    # The tip's way about its mean, seen from the pelvis: the chain's lags behind the clip's.
    pelvis = np.linalg.inv(matrices["Pelvis"])
    ways = [np.einsum("tij,tj->ti", pelvis[:, :3, :3], points[:, -1] - animated[:, 0])
            for points in (take.particles["tail"], animated)]
    tip, clip = (way - way.mean(axis=0) for way in ways)
    likeness = [np.sum(tip[lag:] * clip[:len(clip) - lag]) for lag in range(RATE // 2)]
    print(f"{off.mean():.1f} degrees, lag {np.argmax(likeness)} ticks, swing {np.linalg.norm(tip) / np.linalg.norm(clip):.2f}")
    assert np.argmax(likeness) >= 2, "it lags"
    assert .6 < np.linalg.norm(tip) / np.linalg.norm(clip) < 1.3, "and swings as far"
    assert recorder.client.request("server.stats")["constraint_conflicts"] == 0
