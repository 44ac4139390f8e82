"""--jsonlivelink, read as Unreal reads it: the plug-in's parsing and Unreal's rule of composing transforms, written
anew here, against the world matrices of an ordinary subscriber."""
import json
import re
import socket
import subprocess
import time

import numpy as np
import pytest
from geometry import quaternion_matrix, to_matrices
from harness import BINARY, PATIENCE, StartFailure, run

MOST_BYTES = 60000


class PlugIn:
    """FJSONLiveLinkSource of Epic's plug-in: a character for each byte, names and parents from the first document of a
    subject, and after that as many transforms as these."""

    def __init__(self, host="127.0.0.1"):
        self.socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.socket.bind((host, 0))
        self.address = f"[{host}]" if ":" in host else host
        self.address += f":{self.socket.getsockname()[1]}"
        self.skeletons, self.frames = {}, {}

    def receive(self, timeout=0.0):
        """All documents that have come, as bytes; waits for the first one where there is a time limit."""
        documents = []
        self.socket.settimeout(timeout)
        while True:
            try:
                documents.append(self.socket.recv(1 << 17))
            except (BlockingIOError, TimeoutError, socket.timeout):
                return documents
            self.socket.settimeout(0.0)
            self._handle(documents[-1])

    def _handle(self, document):
        assert len(document) <= MOST_BYTES
        for subject, bones in json.loads(document.decode("latin-1")).items():
            assert all(list(bone) == ["Name", "Parent", "Location", "Rotation", "Scale"] for bone in bones)
            skeleton = [bone["Name"] for bone in bones], [bone["Parent"] for bone in bones]
            assert self.skeletons.setdefault(subject, skeleton) == skeleton, "it would take no notice of another"
            assert len(set(skeleton[0])) == len(bones) > 0
            assert all(-1 <= parent < i for i, parent in enumerate(skeleton[1]))
            self.frames[subject] = [(np.array(bone["Location"]), np.array(bone["Rotation"]), np.array(bone["Scale"]))
                                    for bone in bones]

    def world(self, subject):
        """{bone: 4 × 4 matrix of column vectors}, composed as FTransform's product does: scale, turn, move, then the
        parent's likewise."""
        names, parents = self.skeletons[subject]
        world = []
        for (location, rotation, scale), parent in zip(self.frames[subject], parents):
            assert location.shape == scale.shape == (3,) and rotation.shape == (4,)
            assert abs(np.linalg.norm(rotation) - 1) < 1e-5
            if parent >= 0:
                above_location, above_rotation, above_scale = world[parent]
                location = above_location + quaternion_matrix(above_rotation) @ (above_scale * location)
                rotation, scale = hamilton(above_rotation, rotation), above_scale * scale
            world.append((location, rotation / np.linalg.norm(rotation), scale))
        matrices = {}
        for name, (location, rotation, scale) in zip(names, world):
            matrices[name] = np.eye(4)
            matrices[name][:3, :3] = quaternion_matrix(rotation) * scale
            matrices[name][:3, 3] = location
        return matrices


def hamilton(a, b):
    """The product of quaternions [x,y,z,w]: first b, then a."""
    vector = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    return np.array([*vector, a[3] * b[3] - a[:3] @ b[:3]])


@pytest.fixture
def plug_in():
    receiver = PlugIn()
    yield receiver
    receiver.socket.close()


def watch(client, plug_in):
    """Subscribes to what Unreal should see; gives a function that steps, lets the plug-in receive the last tick, and
    gives that tick as {character: {bone: matrix}}."""
    names = {}
    for name in client.subscribe(axes="unreal", precision=7, static=False)["characters"]:
        names[name] = client.event("stream.static", character=name)["bones"]

    def step(ticks):
        if ticks > 1:
            client.step(ticks - 1)
        plug_in.receive()
        frames = client.step(1)
        plug_in.documents = plug_in.receive()
        return {frame["character"]: dict(zip(names[frame["character"]], to_matrices(frame["bones"])))
                for frame in frames}

    return step


def assert_same(composed, expected):
    for name, matrix in expected.items():
        assert np.abs(composed[name][:3, 3] - matrix[:3, 3]).max() < 1e-3, f"{name}: location, cm"
        assert np.abs(composed[name][:3, :3] - matrix[:3, :3]).max() < 1e-5, f"{name}: axes"


def character(folder, name, bones):
    """A scene with a character of that skeleton, swayed by a clip."""
    (folder / "characters").mkdir()
    (folder / "characters/tree.lua").write_text(f"""local tweed = require "tweed"
return tweed.character {{
  skeleton = tweed.skeleton {{ {bones} }},
  clips = {{ sway = tweed.clip {{ duration = 1, sample = function(t)
    local turn = tweed.quaternion.axis_angle({{ .6, .8, 0 }}, math.sin(6 * t))
    return {{ ["bone 1"] = {{ rotation = turn }}, root = {{ x = 0, z = t, heading = t }} }}
  end }} }},
  on_spawn = function(self) self:play("sway", {{ loop = true }}) end,
}}""")
    scene = folder / "scene.lua"
    scene.write_text(f"""local tweed = require "tweed"
return tweed.scene {{ spawn = {{ {{ name = "{name}", script = "characters/tree", position = {{ 1, 2, 3 }} }} }} }}""")
    return scene


def test_composed_transforms_are_the_world_matrices(start, plug_in):
    server = start("--jsonlivelink", plug_in.address)
    server.wait_for_log(f"sends to  {plug_in.address}, to Unreal's JSON Live Link")
    client = server.client()
    client.request("character.play", character="alan", clip="walk", loop=True)
    client.request("character.move", character="alan", position=[1.5, 0, -2], rotation=[0, 0.6, 0, 0.8], teleport=True)
    step = watch(client, plug_in)
    for ticks in (1, 1, 60, 200):
        expected = step(ticks)
        assert_same(plug_in.world("alan"), expected["alan"])
    assert len(expected["alan"]) == 259
    stats = client.request("server.stats")["jsonlivelink"]
    assert stats["sent"] >= 262 and stats["dropped"] == 0


def test_two_characters_are_two_subjects(start, plug_in, tmp_path):
    scene = tmp_path / "two.lua"
    scene.write_text("""local tweed = require "tweed"
return tweed.scene { spawn = {
  { name = "left", script = "characters/wake", position = { 1, 0, 0 } },
  { name = "right", script = "characters/wake", position = { -1, 0, 0 } },
} }""")
    step = watch(start("--jsonlivelink", plug_in.address, scene=scene).client(), plug_in)
    expected = step(3)
    assert all(len(json.loads(document)) == 1 for document in plug_in.documents), "each on its own"
    for name in "left", "right":
        assert_same(plug_in.world(name), expected[name])


def test_names_outside_ascii_and_a_second_root(start, plug_in, tmp_path):
    scene = character(tmp_path, "Jörg 骨", """{ name = "bone 1", position = { 0, 1, 0 } },
        { name = "Hüfte \\"l\\"", parent = "bone 1", position = { .25, 0, .5 } },
        { name = "骨\\\\𝄞", parent = "Hüfte \\"l\\"", position = { 0, 2, 0 } },
        { name = "other root", position = { -3, 0, 0 } }""")
    step = watch(start("--jsonlivelink", plug_in.address, scene=scene).client(), plug_in)
    expected = step(20)
    assert_same(plug_in.world("Jörg 骨"), expected["Jörg 骨"])
    assert plug_in.skeletons["Jörg 骨"] == (["bone 1", 'Hüfte "l"', "骨\\𝄞", "other root"], [-1, 0, 1, -1])


def test_a_rate_of_its_own(start, plug_in):
    server = start("--jsonlivelink", plug_in.address, "--jsonlivelink-rate", 20)
    client = server.client()
    client.request("character.play", character="alan", clip="walk", loop=True)
    client.step(3)
    before = plug_in.receive(5.0)[-1]
    client.step(60)
    assert len(set(plug_in.receive()) - {before}) == 20


def test_a_paused_server_is_seen_by_who_comes_later(start, plug_in):
    server = start("--jsonlivelink", plug_in.address)
    first = plug_in.receive(5.0 * PATIENCE)
    second = plug_in.receive(5.0 * PATIENCE)
    assert first and second and first[0] == second[0]
    assert server.client().hello["tick"] == 0


def test_who_comes_while_it_is_paused_is_seen_from_the_first_tick_on(start, plug_in):
    client = start("--jsonlivelink", plug_in.address).client()
    client.request("character.spawn", script="characters/human", name="eve", position=[2, 0, 0])
    plug_in.receive(5.0 * PATIENCE)
    plug_in.receive(5.0 * PATIENCE)  # sent after eve had come
    assert list(plug_in.skeletons) == ["alan"]
    client.step(1)
    plug_in.receive()
    assert plug_in.world("eve")["Hips"][0, 3] == pytest.approx(200, abs=5)


def test_a_character_of_1500_bones_goes_as_several_whole_skeletons(start, plug_in, tmp_path):
    bones = ['{ name = "bone 1", position = { 0, .5, 0 } }'] + [
        f'{{ name = "bone {i}", parent = "bone {i // 3 + 1 if i > 2 else 1}", position = {{ .01, .1, -.02 }} }}'
        for i in range(2, 1501)]
    server = start("--jsonlivelink", plug_in.address, scene=character(tmp_path, "tree", ",\n".join(bones)))
    step = watch(server.client(), plug_in)
    for ticks in (1, 30):
        expected = step(ticks)["tree"]
        parts = list(plug_in.skeletons)
        assert parts == ["tree"] + [f"tree[{i}]" for i in range(2, len(parts) + 1)] and len(parts) > 3
        assert len(plug_in.documents) % len(parts) == 0
        seen = set()
        for part in parts:
            composed = plug_in.world(part)
            seen |= set(composed)
            assert_same(composed, {name: expected[name] for name in composed})
        assert seen == set(expected)
    told = (f"tree: its 1500 bones exceed one JSON Live Link datagram and are sent as {len(parts)} subjects: "
            "tree, tree[2], …")
    assert server.log().count(told) == 1


def test_a_chain_too_long_for_any_datagram_is_cut_and_told(start, plug_in, tmp_path):
    bones = ['{ name = "bone 1" }'] + [
        f'{{ name = "bone {i}", parent = "bone {i - 1}", position = {{ 0, .01, 0 }} }}' for i in range(2, 601)]
    server = start("--jsonlivelink", plug_in.address, scene=character(tmp_path, "rope", ",\n".join(bones)))
    step = watch(server.client(), plug_in)
    expected = step(2)["rope"]
    assert list(plug_in.skeletons) == ["rope"]
    composed = plug_in.world("rope")
    assert list(composed) == [f"bone {i}" for i in range(1, len(composed) + 1)] and 200 < len(composed) < 600
    assert_same(composed, {name: expected[name] for name in list(composed)[:50]})
    assert server.log().count(
        f"rope: {600 - len(composed)} bones are left out of JSON Live Link: its chain of parents does not fit one") == 1


def test_characters_that_come_and_go(start, plug_in):
    client = start("--jsonlivelink", plug_in.address).client()
    client.request("character.spawn", script="characters/human", name="eve", position=[2, 0, 0])
    client.step(1)
    plug_in.receive()
    assert list(plug_in.skeletons) == ["alan", "eve"]
    assert plug_in.world("eve")["Hips"][0, 3] == pytest.approx(200, abs=5)
    client.request("character.remove", character="eve")
    client.step(1)
    plug_in.receive()
    client.step(1)
    assert {subject for document in plug_in.receive() for subject in json.loads(document)} == {"alan"}


def test_a_skeleton_that_changes_is_told(start, plug_in, tmp_path):
    scene = character(tmp_path, "tree", '{ name = "bone 1" }, { name = "bone 2", parent = "bone 1" }')
    script = tmp_path / "characters/tree.lua"
    server = start("--jsonlivelink", plug_in.address, scene=scene)
    client = server.client()
    told = ("warning: tree: its bones changed; JSON Live Link uses the old ones until you remove its source and add it "
            "again\n")

    def change(old, new):
        script.write_text(script.read_text().replace(old, new))
        client.request("script.reload", script="characters/tree")
        client.step(1)

    change("duration = 1", "duration = 2")
    plug_in.receive()
    assert told not in server.log(), "the bones are the same"
    change('{ name = "bone 2", parent = "bone 1" }', '{ name = "bone 2" }')
    client.step(5)
    assert server.log().count(told) == 1
    change("duration = 2", "duration = 1")
    assert server.log().count(told) == 1


def test_ipv6(start):
    try:
        plug_in = PlugIn("::1")
    except OSError:
        pytest.skip("no IPv6 here")
    server = start("--jsonlivelink", plug_in.address)
    assert plug_in.receive(5.0 * PATIENCE)
    server.wait_for_log(f"sends to  {plug_in.address}, to Unreal")


def test_nobody_has_to_listen(start):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    client = start("--jsonlivelink", f"localhost:{port}").client()
    client.step(100)
    stats = client.request("server.stats")["jsonlivelink"]
    assert stats["sent"] >= 100 and stats["dropped"] == 0


def test_what_the_system_refuses_is_dropped_and_counted(start):
    server = start("--jsonlivelink", "255.255.255.255:9", "--jsonlivelink-remote")
    client = server.client()
    assert len(client.step(10)) == 0
    stats = client.request("server.stats")["jsonlivelink"]
    assert stats["sent"] == 0 and stats["dropped"] >= 10
    assert server.log().count("1 datagram of JSON Live Link dropped: permission denied") == 1
    shown = run("stats", "--connect", f"127.0.0.1:{server.ports['tcp']}").stdout
    assert re.search(r"^live link 0 datagrams sent, \d+ dropped$", shown, re.M)


def test_without_it_stats_do_not_tell_of_it(common, guest):
    assert "jsonlivelink" not in guest.request("server.stats")


def test_a_name_that_nobody_knows_ends_the_start(start):
    with pytest.raises(StartFailure) as failure:
        start("--jsonlivelink", "no such host:54321")
    assert "status 1" in str(failure.value)
    assert 'error: --jsonlivelink: cannot send to "no such host":' in str(failure.value)


def test_a_recording_is_sent_as_it_was_streamed(start, plug_in, tmp_path):
    client = start().client()
    client.request("character.play", character="alan", clip="walk", loop=True)
    path, view = tmp_path / "walk.ndjson", {"space": "world", "precision": 7}
    reply = client.subscribe(**view, policy="queue")
    static = client.next_notification("stream.static")
    client.request("simulation.step", ticks=30)
    frames = [line for line in client.kept if line["method"] == "stream.frame"]
    path.write_text("".join(json.dumps({key: value for key, value in line.items() if key != "raw"}) + "\n" for line in [
        {"jsonrpc": "2.0", "method": "server.hello", "params": client.hello},
        {"jsonrpc": "2.0", "id": 1, "method": "stream.subscribe", "params": view},
        {"jsonrpc": "2.0", "id": 1, "result": reply}, static, *frames]))
    process = subprocess.Popen([BINARY, "replay", path, "--listen", "127.0.0.1:0", "--no-http", "--jsonlivelink",
                                plug_in.address], stderr=subprocess.PIPE, text=True)
    try:
        documents, end = 0, time.monotonic() + 2 * PATIENCE
        while time.monotonic() < end:
            documents += len(plug_in.receive(0.1))
    finally:
        process.terminate()
        said = process.communicate()[1]
    assert documents == len(frames) * len(plug_in.skeletons), said
    composed = {name: matrix for subject in plug_in.skeletons for name, matrix in plug_in.world(subject).items()}
    to_unreal = np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0]])
    expected = {}
    for name, matrix in zip(static["params"]["bones"], to_matrices(frames[-1]["params"]["bones"])):
        expected[name] = np.eye(4)
        expected[name][:3, :3] = to_unreal @ matrix[:3, :3] @ to_unreal
        expected[name][:3, 3] = 100 * to_unreal @ matrix[:3, 3]
    assert_same({name: composed[name] for name in expected}, expected)
