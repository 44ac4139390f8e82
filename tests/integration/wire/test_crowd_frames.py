"""Frames of many characters, which workers encode while the loop goes on."""
import random
import threading
import time

import pytest

CROWD = 12
ROUNDS, TICKS = 8, 240


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    scene = tmp_path_factory.mktemp("crowd") / "crowd.lua"
    spawns = "".join(f'{{ script = "characters/crowd/tweed", name = "c{i:02}", position = {{ {2 * i}, 0, 0 }} }},\n'
                     for i in range(CROWD))
    scene.write_text(f'return require "tweed".scene {{ ground = 0, spawn = {{\n{spawns}}} }}\n')
    return scene


def without_view(message):
    return message["raw"].split(b'"character"', 1)[1]


def kept_frames(client):
    return [message for message in client.kept if message["method"] == "stream.frame"]


@pytest.mark.parametrize("view", [{}, {"space": "world", "layout": "trs", "particles": True, "references": True,
                                       "wrinkles": True, "axes": "unreal"}])
def test_workers_write_what_the_loop_writes(start, crowd, view):
    server = start("--threads", 3, scene=crowd)
    stepper, late = server.client(), server.client()
    stepper.subscribe(**view)
    stepper.request("simulation.step", ticks=3)
    lines = {(m["params"]["character"], m["params"]["tick"]): without_view(m) for m in kept_frames(stepper)}
    assert set(lines) == {(f"c{i:02}", tick) for i in range(CROWD) for tick in range(4)}
    for name in (f"c{i:02}" for i in range(CROWD)):  # alone in its view, and encoded between ticks
        number = late.subscribe(characters=[name], **view)["view"]
        message = late.next_notification("stream.frame", view=number)
        assert without_view(message) == lines[name, 3]
        late.request("stream.unsubscribe", view=number)


def test_clients_that_come_and_go_while_frames_are_encoded_disturb_nobody(start, crowd):
    server = start("--threads", 3, scene=crowd)
    chance = random.Random(7)
    steady = server.client(timeout=60)
    steady.subscribe(policy="queue", layout="trs", static=False)
    reader = threading.Thread(target=steady.request, args=("simulation.step",), kwargs={"ticks": TICKS})
    reader.start()
    for _ in range(ROUNDS):
        guests = [server.client() for _ in range(6)]
        for guest in guests:
            guest.subscribe(bones=["Hips", "jacket_*"], static=False, precision=chance.randint(2, 7),
                            policy=chance.choice(["latest", "queue"]))
        for guest in guests:
            time.sleep(chance.uniform(0, 0.004))
            guest.close()
    reader.join()
    seen = [(message["params"]["tick"], message["params"]["character"]) for message in kept_frames(steady)]
    assert sorted(seen) == [(tick, f"c{i:02}") for tick in range(TICKS + 1) for i in range(CROWD)]
