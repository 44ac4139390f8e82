"""`tweed replay`: a recording served as if it were live."""
import json
import re
import signal
import subprocess
import time

import pytest
from harness import BINARY, PATIENCE, Client, Closed, run


@pytest.fixture(scope="module")
def recording(_common_server, tmp_path_factory):
    """31 ticks of a walk, and an event in the middle."""
    path = tmp_path_factory.mktemp("replay") / "walk.ndjson"
    with _common_server.client() as client:
        process = subprocess.Popen([BINARY, "record", path, "--ticks", "31", "--view", '{"layout":"trs"}', "--connect",
                                    "%s:%d" % _common_server.address], stderr=subprocess.DEVNULL)
        while not sum(entry["views"] for entry in client.request("server.stats")["clients"]):
            time.sleep(0.01)
        client.step(15)
        client.request("world.set", ground=-1)
        client.step(15)
        assert process.wait(20 * PATIENCE) == 0
    return path


def streamed(path):
    return path.read_bytes().splitlines()[3:]


def receive(client, count):
    return [client.read_line() for _ in range(count)]


def test_a_queue_gets_the_very_lines_in_their_time(serve, recording):
    replay = serve(recording)
    with Client(replay.address) as client:
        assert client.hello == {**json.loads(recording.read_bytes().splitlines()[0])["params"], "paused": False,
                                "view": {"layout": "trs"}}
        begun = time.monotonic()
        assert client.subscribe(layout="trs", policy="queue") == {"view": 1, "characters": ["alan"]}
        lines = streamed(recording)
        assert receive(client, len(lines)) == lines
        assert 0.5 - 0.02 <= time.monotonic() - begun, "30 ticks at 60 Hz"
        assert json.loads(lines[-1])["params"]["tick"] - json.loads(lines[1])["params"]["tick"] == 30
        assert any(b'"world.changed"' in line for line in lines)
    replay.send_signal(signal.SIGINT)
    assert replay.wait(10 * PATIENCE) == 0
    assert replay.stderr.read() == (f"{recording}: 1 character, 0.500 s; listens on 127.0.0.1:"
                                    f"{replay.address[1]}, page http://127.0.0.1:{replay.ports['http']}/, "
                                    "starts with the first subscription\n")


def test_latest_gets_the_last_frame_and_who_comes_late_too(serve, recording):
    replay = serve(recording)
    last = streamed(recording)[-1]
    with Client(replay.address) as client, Client(replay.address) as late:
        client.subscribe(layout="trs", rate=20)
        ticks = []
        while not ticks or ticks[-1] < 30:
            ticks.append(client.event("stream.frame")["tick"])
        assert all(tick % 3 == 0 for tick in ticks), "20 of 60 a second"
        late.subscribe(layout="trs", static=False)
        bones = late.next_notification("stream.static")["params"]
        assert "description" not in bones and len(bones["bones"]) == 259
        assert late.next_notification("stream.frame")["raw"] == last
        listed = late.request("character.list")
        assert listed == [{"name": "alan", "script": "characters/wake", "revision": bones["revision"]}]
    with Client(replay.address) as again:
        again.subscribe(layout="trs", policy="queue")
        assert receive(again, 2) == streamed(recording)[:2], "after all have left it begins again"


def test_watch_and_record_take_the_view_of_the_recording(serve, recording, tmp_path):
    address = "--connect", "127.0.0.1:%d" % serve(recording).address[1]
    watched = run("watch", "alan", "alam", "--bones", "Hips", "--bones", "hoof", "--ticks", "31", *address)
    assert watched.stderr == ('tweed: no character matches "alam" yet; did you mean "alan"?\n'
                              'tweed: no bone matches "hoof"; did you mean "hood"?\n')
    frames = [json.loads(line)["params"] for line in streamed(recording) if b'"stream.frame"' in line]
    first = watched.stdout.splitlines()[0].split("\t")
    assert first[:3] == ["0", "alan", "Hips"] and [float(x) for x in first[3:]] == frames[0]["bones"][0][:7]
    assert run("watch", "--ticks", "31", *address).stdout.split("\t")[1] == "alan", "the rates"
    again = tmp_path / "again.ndjson"
    assert run("record", again, "--ticks", "31", *address).returncode == 0
    assert streamed(again) == streamed(recording)


def test_watch_shows_a_recording_of_matrices(serve, server, tmp_path):
    path = tmp_path / "matrices.ndjson"
    assert run("record", path, "--ticks", "1", "--connect", "%s:%d" % server.address).returncode == 0
    address = "127.0.0.1:%d" % serve(path).address[1]
    (line,) = run("watch", "alan", "--bones", "Hips", "--timeout", "1", "--connect", address).stdout.splitlines()
    frame = json.loads(path.read_text().splitlines()[4])["params"]
    assert [float(x) for x in line.split("\t")[3:]] == frame["bones"][0]


def test_characters_can_be_chosen_and_events_turned_off(serve, recording):
    replay = serve(recording)
    with Client(replay.address) as client, Client(replay.address) as other:
        assert other.request("session.open", events=False, role="operator") == {"role": "observer"}
        assert other.subscribe(layout="trs", characters=["b*"]) == {"view": 1, "characters": []}
        client.event("world.changed")
        assert client.request("session.ping")["tick"] >= 15
        other.drain(0.6)
        assert other.take() == []
        assert other.request("stream.unsubscribe", view=1).keys() == {"tick"}
        assert other.error("stream.unsubscribe", view=1).message == "this connection has no view 1"


@pytest.mark.parametrize("method, params, code, message", [
    ("stream.subscribe", {"axis": 1}, -32602, 'stream.subscribe has no parameter "axis"; did you mean "axes"?'),
    ("world.set", {"ground": 1}, -32002, "world.set: a recording cannot be changed"),
    ("fabric.list", {}, -32003, "fabric.list: a recording does not have this"),
    ("character.describe", {"character": "alam"}, -32001, 'no character "alam"; did you mean "alan"?'),
    ("nothing", {}, -32601, 'no method "nothing"'),
    ("session.open", {"protocol": 2}, -32010, None),
])
def test_what_a_recording_cannot_do(serve, recording, method, params, code, message):
    with Client(serve(recording).address) as client:
        error = client.error(method, **params)
        assert (error.code, error.message) == (code, message or error.message)
        client.send_bytes(b'{"a":\n')
        assert client.read()["error"]["message"] == "not JSON: expected a value at the end"
        client.send([{"jsonrpc": "2.0", "id": 7, "method": "character.list"}, 5])
        seven, five = client.read()
        assert (seven, five["error"]["code"]) == (
            {"jsonrpc": "2.0", "id": 7, "result": [{"name": "alan", "script": "characters/wake", "revision": 1}]}, -32600)


def test_a_message_that_is_too_long_is_told(serve, recording, common):
    replies = []
    for address in (serve(recording).address, common.address):
        with Client(address) as client:
            client.send_bytes(b'{"jsonrpc":"2.0","id":1,"method":"%b"}\n' % (b"a" * 70000))
            replies.append(client.read(timeout=5 * PATIENCE))
            client.request("session.ping")
    assert (replies[0]["id"], replies[0]["error"]["code"]) == (None, -32600)
    assert replies[0] == replies[1], "as a server tells it"


def test_recording_over_a_file_leaves_those_who_replay_it_alone(serve, recording, common, tmp_path):
    path = tmp_path / "again.ndjson"
    path.write_bytes(recording.read_bytes())
    with Client(serve(path, "--loop").address) as client:
        client.subscribe(layout="trs")
        client.event("stream.frame")
        assert run("record", path, "--ticks", 1, "--connect", "%s:%d" % common.address).returncode == 0
        assert b"world.changed" not in path.read_bytes()
        for _ in range(100):
            client.event("stream.frame")


def test_one_connection_too_many_is_told(serve, recording):
    replay = serve(recording)
    replay.clients += [Client(replay.address) for _ in range(256)]
    with Client(replay.address, read_hello=False) as extra:
        error = extra.read()["error"]
        assert (error["code"], error["message"]) == (
            -32003, "there are 256 connections already, the most there can be")
        with pytest.raises(Closed):
            extra.read()


@pytest.mark.parametrize("change, error", [
    (lambda lines: [], ": nothing was recorded"),
    (lambda lines: lines[:3], ": nothing was recorded"),
    (lambda lines: lines[1:], ":1: expected server.hello with its tick_rate, as tweed record writes it"),
    (lambda lines: lines[:1] + lines[2:], ":2: expected the request stream.subscribe"),
    (lambda lines: [lines[0], lines[1].replace(b"layout", b"lay"), *lines[2:]],
     ':2: stream.subscribe has no parameter "lay"'),
    (lambda lines: lines[:2] + lines[3:], ":3: expected the reply to stream.subscribe, with its view"),
    (lambda lines: lines[:6] + [b"{]\n"], ":7: not JSON"),
    (lambda lines: lines[:3] + [lines[3][:-1]], ":4: the last line is not whole"),
    (lambda lines: lines[:6] + [lines[6].replace(b'"tick"', b'"tock"')], ":7: expected the frame's tick"),
    (lambda lines: lines[:6] + [lines[6].replace(b'"character"', b'"name"')], ":7: expected the character's name"),
])
def test_a_file_that_is_no_recording(recording, tmp_path, change, error):
    path = tmp_path / "broken"
    path.write_bytes(b"".join(change(recording.read_bytes().splitlines(keepends=True))))
    result = run("replay", path, "--listen", "127.0.0.1:0", "--no-http")
    assert (result.returncode, result.stdout) == (1, "")
    assert re.fullmatch(re.escape(f"tweed: {path}{error}") + r"[^\n]*\n", result.stderr), result.stderr


def test_a_line_that_was_cut_is_left_out(serve, recording, tmp_path):
    lines = recording.read_bytes().splitlines(keepends=True)
    path = tmp_path / "cut.ndjson"
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][:-20])
    replay = serve(path)
    with Client(replay.address) as client:
        client.subscribe(layout="trs", policy="queue")
        assert receive(client, len(lines) - 4) == streamed(path)[:-1]
    replay.terminate()
    assert replay.stderr.read().startswith(
        f"tweed: {path}:{len(lines)}: the last line is not whole and is left out\n{path}: 1 character, 0.483 s; ")


def test_no_file_and_no_port(recording, tmp_path, common):
    result = run("replay", tmp_path / "none")
    assert (result.returncode, result.stderr) == (1, f"tweed: cannot read {tmp_path}/none: No such file or directory\n")
    result = run("replay", tmp_path)
    assert result.returncode == 1
    assert result.stderr == f"tweed: cannot read {tmp_path}: expected a file, found a folder\n"
    result = run("replay", recording, "--no-http", "--listen", "127.0.0.1:%d" % common.address[1])
    assert result.returncode == 1 and "in use" in result.stderr


def test_too_few_files_end_the_start_with_a_message(recording):
    for files in range(6, 24):  # with fewer libuv itself aborts
        process = subprocess.Popen(["prlimit", f"--nofile={files}", BINARY, "replay", recording, "--listen",
                                    "127.0.0.1:0", "--no-http"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        line = process.stderr.readline()
        if "listens on" in line:
            process.terminate()
        assert line.startswith("tweed: ") or "listens on" in line, (files, line)
        assert process.wait(10 * PATIENCE) == (0 if "listens on" in line else 1), (files, line)
        process.stderr.close()
    assert "listens on" in line
