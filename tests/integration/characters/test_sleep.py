"""Characters at rest cost nothing to simulate, wake on whatever acts on them, and are streamed all the while."""
import numpy as np
import pytest

RATE = 60
SECONDS = 30  # within which the shipped character in its tweed comes to rest


def asleep(client):
    return client.request("server.stats")["asleep"]


def stand(client):
    client.request("character.play", character="alan", clip="stand", loop=True, fade=0.3)
    for _ in range(SECONDS):
        client.step(RATE)
        if asleep(client):
            return
    pytest.fail("it does not come to rest")


def numbers(frame):
    return np.array(frame["bones"])


def test_a_character_at_rest_sleeps_and_is_still_streamed(client):
    assert asleep(client) == 0
    client.subscribe(particles=True, references=True, wrinkles=True, space="model", precision=7)
    stand(client)
    assert asleep(client) == client.request("server.stats")["garments"] == 2
    frames = client.step(20)
    assert len(frames) == 20
    first = frames[0]
    for count, frame in enumerate(frames):
        changing = {"tick": first["tick"] + count, "time": pytest.approx((first["tick"] + count) / RATE)}
        assert frame == first | changing, "all but the tick stays as it is"
    world = client.subscribe(space="world")["view"]  # a view that has no frame yet
    assert all(frame["tick"] == first["tick"] + 20 for frame in client.step(1) if frame["view"] == world)


CROUCH = {"LowerBack": [.259, 0, 0, .966], "LeftUpLeg": [.782, .097, .074, -.611],
          "RightUpLeg": [.782, -.097, -.074, -.611], "LeftLeg": [.822, .208, .002, .530],
          "RightLeg": [.822, -.208, -.002, .530]}


def test_a_pose_sent_in_every_tick_lets_sleep(client):
    client.subscribe(space="model", precision=7)
    client.request("character.play", character="alan", clip="stand", loop=True, fade=0.3)
    bones = {bone: {"rotation": rotation} for bone, rotation in CROUCH.items()}
    for sequence in range(10 * RATE):
        client.request("character.pose", character="alan", space="parent", bones=bones, sequence=sequence)
        frame = client.step(1)[-1]
        assert frame["sequence"] == sequence
    assert asleep(client) == 2
    bones["LeftLeg"] = {"rotation": [0, 0, 0, 1]}
    client.request("character.pose", character="alan", space="parent", bones=bones)
    assert np.abs(numbers(client.step(2)[-1]) - numbers(frame)).max() > 0.05
    assert asleep(client) == 0


@pytest.mark.parametrize("method, params", [
    ("character.move", {"character": "alan", "position": [0.05, 0, 0]}),
    ("character.move", {"character": "alan", "rotation": [0, 1, 0, 0], "teleport": True}),
    ("character.play", {"character": "alan", "clip": "jump"}),
    ("character.pose", {"character": "alan", "space": "parent", "bones": {"LeftArm": {"rotation": [0, 0, 0.6, 0.8]}}}),
    ("character.stop", {"character": "alan"}),
    ("character.reset", {"character": "alan"}),
    ("character.call", {"character": "alan", "command": "walk"}),
    ("fabric.set", {"fabric": "tweed", "values": {"density": 0.8}}),
    ("fabric.set", {"character": "alan", "garment": "hood", "values": {"damping": 0.2}}),
    ("world.set", {"wind": {"velocity": [0, 0, 4], "turbulence": 0.2, "gust": 0.2}}),
    ("world.set", {"gravity": [2, -9.81, 0]}),
    ("world.tornado", {"name": "twister", "position": [2, 0, 0], "radius": 0.5, "strength": 5, "lift": 2}),
])
def test_it_wakes(start, method, params):
    client = start().client()
    stand(client)
    client.subscribe(space="world", precision=7)
    before = numbers(client.step(2)[-1])
    client.request(method, **params)
    client.step(1)
    assert asleep(client) == 0
    moved = np.abs(numbers(client.step(10)[-1]) - before).max()
    assert moved > 1e-6, "it can be seen"


def test_the_same_again_wakes_nobody(client):
    stand(client)
    world = client.request("world.get")
    client.request("world.set", **{key: world[key] for key in ("gravity", "wind", "ground")})
    client.request("fabric.set", fabric="veil", values={"damping": 3})  # nobody wears it
    client.request("fabric.set", fabric="tweed", values={"density": 0.4})
    client.step(2)
    assert asleep(client) == 2


def test_however_long_it_slept_it_walks_off_alike(client):
    client.subscribe(space="world", precision=7)

    def walk_off_after(ticks):
        client.request("character.reset", character="alan")
        stand(client)
        client.step(ticks)
        client.request("character.play", character="alan", clip="walk", loop=True, fade=0.3)
        return np.array([numbers(frame) for frame in client.step(60)])

    soon = walk_off_after(1)
    late = walk_off_after(500)
    assert np.abs(soon[-1] - soon[0]).max() > 0.1, "it walks"
    assert np.array_equal(late, soon)
