"""A hand that reaches for a place while the body moves: two-bone IK in a script, live, and a jacket that holds."""
import numpy as np
import pytest
from geometry import Recorder, vertical_stretch

RATE = 60
ARRIVED = 26  # ticks of 0.4 s, and two more


def reach(client, **arguments):
    return client.request("character.call", character="alan", command="reach", arguments=arguments)


def assert_jacket_holds(take):
    for garment in take.description["garments"]:
        name, rest = garment["name"], np.array(garment["rest"]).reshape(-1, 3)
        assert vertical_stretch(take.particles[name], rest, garment["rows"], garment["columns"]).max() <= 1e-4
        free = np.setdiff1d(np.arange(len(rest)), garment["pinned"])
        for collider, depth in take.depths(name).items():
            assert depth[:, free].max() <= 1e-3, f"{name} in {collider}"
        if "max_distance" in garment:
            distance = np.linalg.norm(take.particles[name] - take.references[name], axis=-1)
            assert (distance - np.array(garment["max_distance"])).max() <= 1e-5


@pytest.mark.parametrize("clip", ["jump", "walk", "stand"])
def test_the_hand_is_there_whatever_the_body_does(client, clip):
    recorder = Recorder(client, "alan")
    client.request("character.play", character="alan", clip=clip, loop=True, fade=0)
    client.request("simulation.step", ticks=30)
    client.kept.clear()
    shoulder = recorder.record(1).bone_matrices()["LeftArm"][-1, :3, 3]
    place = shoulder + [0.25, 0.05, 0.2]
    reach(client, hand="left", place=place.tolist())
    take = recorder.record(3 * RATE)
    bones = take.bone_matrices()
    arm = np.linalg.norm(np.diff([bones[name][0, :3, 3] for name in ("LeftArm", "LeftForeArm", "LeftHand")], axis=0),
                         axis=1).sum()
    in_reach = np.linalg.norm(place - bones["LeftArm"][:, :3, 3], axis=1) < 0.995 * arm
    missed = np.linalg.norm(bones["LeftHand"][:, :3, 3] - place, axis=1)[ARRIVED:][in_reach[ARRIVED:]]
    assert len(missed) > RATE, "it is in reach for most of the time"
    print(f"{clip}: at most {1000 * missed.max():.4f} mm off, the shoulder moved by "
          f"{1000 * np.linalg.norm(np.diff(bones['LeftArm'][:, :3, 3], axis=0), axis=1).max():.1f} mm a tick")
    assert missed.max() < 1e-3
    step = np.linalg.norm(np.diff(bones["LeftHand"][:ARRIVED, :3, 3], axis=0), axis=1)
    assert step.max() < 0.15, "it goes there without a leap"
    assert_jacket_holds(take)


def test_out_of_reach_the_arm_is_stretched_towards_it(client):
    recorder = Recorder(client, "alan")
    client.request("character.play", character="alan", clip="stand", loop=True, fade=0)
    reach(client, place=[-3, 1.4, 1])
    bones = {name: matrices[-1, :3, 3] for name, matrices in recorder.record(RATE).bone_matrices().items()}
    upper, lower = bones["RightForeArm"] - bones["RightArm"], bones["RightHand"] - bones["RightForeArm"]
    way = np.array([-3, 1.4, 1]) - bones["RightArm"]
    assert upper @ lower > 0.99 * np.linalg.norm(upper) * np.linalg.norm(lower)
    hand = bones["RightHand"] - bones["RightArm"]
    assert hand @ way > 0.9999 * np.linalg.norm(hand) * np.linalg.norm(way)


def test_another_place_and_letting_go(client):
    recorder = Recorder(client, "alan")
    client.request("character.play", character="alan", clip="stand", loop=True, fade=0)
    before = recorder.record(1).bone_matrices()["RightHand"][-1, :3, 3]
    shoulder = recorder.record(1).bone_matrices()["RightArm"][-1, :3, 3]
    reach(client, hand="right", place=(shoulder + [-0.2, 0, 0.3]).tolist())
    recorder.record(RATE)
    reach(client, hand="right", place=(shoulder + [-0.3, 0.2, 0.1]).tolist())
    take = recorder.record(RATE)
    assert np.linalg.norm(take.bone_matrices()["RightHand"][-1, :3, 3] - shoulder - [-0.3, 0.2, 0.1]) < 1e-3
    assert_jacket_holds(take)
    reach(client, hand="right")
    after = recorder.record(RATE).bone_matrices()["RightHand"][-1, :3, 3]
    assert np.linalg.norm(after - before) < 0.02


def test_without_a_place_an_arm_reaches_out_and_lets_go_by_turns(client):
    recorder = Recorder(client, "alan")
    client.request("character.play", character="alan", clip="stand", loop=True, fade=0)
    first = recorder.record(1).bone_matrices()
    before, shoulder = first["RightHand"][-1, :3, 3], first["RightArm"][-1, :3, 3]
    reach(client)
    take = recorder.record(RATE)
    out = take.bone_matrices()["RightHand"][-1, :3, 3] - shoulder
    assert np.abs(out - [0, 0.1, 0.45]).max() < 0.01, "the shoulder sways by less"
    assert_jacket_holds(take)
    reach(client)
    after = recorder.record(RATE).bone_matrices()["RightHand"][-1, :3, 3]
    assert np.linalg.norm(after - before) < 0.02


@pytest.mark.parametrize("arguments, message", [
    ({"hand": "third"}, 'hand: expected "left" or "right"'),
    ({"place": [1, 2]}, "place: expected { x, y, z }"),
    ({"place": [1, 2, "up"]}, "place: expected three numbers"),
])
def test_what_it_does_not_take(client, arguments, message):
    error = client.error("character.call", character="alan", command="reach", arguments=arguments)
    assert error.code == -32004 and message in error.message
