"""The server built without assimp, HTTP and NATS: it says what is missing, and a built-in biped wears the jacket."""
import numpy as np
from geometry import Recorder, orthonormality_error, vertical_stretch
from harness import WAKE, run


def test_it_says_in_one_line_who_stands_in(server):
    server.wait_for_log("biped")
    assert len([line for line in server.log().splitlines() if "biped" in line]) == 1


def test_it_says_that_there_is_no_http_and_serves_tcp(server):
    assert server.ports.keys() == {"tcp"}
    server.wait_for_log("  page      this build has no HTTP and no WebSocket\n")


def test_it_says_that_it_can_be_in_no_cluster():
    ended = run("serve", WAKE, "--listen", "127.0.0.1:0", "--cluster", "nats://127.0.0.1:1")
    assert ended.returncode == 1 and "--cluster: this build has no NATS" in ended.stderr


def test_the_commands_are_there_all_the_same(client):
    commands = ["dodge", "jump", "stand", "walk"]
    described = client.request("character.describe", character="alan")["commands"]
    assert set(commands) <= {command["name"] for command in described}
    for command in commands:
        client.request("character.call", character="alan", command=command)
        client.step(10)
    assert client.take("script.failed") == []


def test_the_biped_walks_in_the_jacket(client):
    recorder = Recorder(client, "alan")
    client.request("character.call", character="alan", command="walk")
    take = recorder.record(300)
    jacket = take.garment("jacket")
    assert take.root[-1, 2, 3] > 3, "it walks along +Z"
    stretch = vertical_stretch(take.particles["jacket"], np.array(jacket["rest"]).reshape(-1, 3), 9, 26)
    assert stretch.max() <= 1e-4
    assert max(depth[:, 26:].max() for depth in take.depths("jacket").values()) <= 1e-3
    assert orthonormality_error(take.bones).max() <= 1e-5
