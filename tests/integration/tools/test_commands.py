"""What a person asks of a running server: `tweed call`, `stats`, `watch` and `record`, word for word."""
import contextlib
import fcntl
import json
import os
import pty
import re
import resource
import signal
import socket
import struct
import subprocess
import termios
import threading
import time

import pytest
from harness import BINARY, PATIENCE, ROOT, run, wait_until

HELLO = '{"jsonrpc":"2.0","method":"server.hello","params":{"name":"tweed","protocol":1,"tick_rate":60,"tick":0}}\n'


def at(server):
    return ["--connect", "%s:%d" % server.address]


def outcome(*arguments, **options):
    result = run(*arguments, **options)
    return result.returncode, result.stdout, result.stderr


@pytest.fixture
def impostor():
    """impostor(text) gives the address of a server that says `text` and closes; it takes one request first where
    `text` is a list of greeting and answer."""
    listeners = []

    def begin(*texts):
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)

        def talk():
            peer, _ = listener.accept()
            with peer:
                for number, text in enumerate(texts):
                    if number:
                        peer.recv(65536)
                    peer.sendall(text.encode())
                peer.shutdown(socket.SHUT_WR)
                while peer.recv(65536):
                    pass

        threading.Thread(target=talk, daemon=True).start()
        return "127.0.0.1:%d" % listener.getsockname()[1]

    yield begin
    for listener in listeners:
        listener.close()


def test_call_prints_the_result_in_one_line_of_json(common):
    assert outcome("call", "character.list", *at(common)) == (
        0, '[{"name":"alan","script":"characters/wake","revision":1}]\n', "")
    status, text, errors = outcome("call", *at(common), "session.ping", "{}")
    assert (status, errors, text.count("\n")) == (0, "", 1)
    assert json.loads(text).keys() == {"tick", "time", "monotonic"}


@pytest.mark.parametrize("method, params", [("world.get", {}), ("fabric.get", {"fabric": "tweed"}),
                                            ("character.describe", {"character": "alan"})])
def test_call_prints_the_very_numbers_of_the_server(common, guest, method, params):
    guest.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    sent = guest.read_line().decode()
    assert sent.startswith(prefix := '{"jsonrpc":"2.0","id":1,"result":')
    assert outcome("call", method, json.dumps(params), *at(common)) == (0, sent[len(prefix):-1] + "\n", "")


def test_call_takes_parameters_of_several_lines_and_any_letters(server):
    assert outcome("call", "world.set", '{\r\n "gravity" : [0,\n-1.625, 0]\n}', *at(server)) == (0, '{"tick":0}\n', "")
    assert server.client().request("world.get")["gravity"] == [0, -1.625, 0]
    assert outcome("call", "session.open", '{"client":"Ångström ☃"}', *at(server))[0] == 0


def test_call_over_the_unix_socket(start, tmp_path):
    path = tmp_path / "tweed.sock"
    start("--unix", path)
    assert outcome("call", "--unix", path, "simulation.step", '{"ticks":3}') == (0, '{"tick":3}\n', "")


@pytest.mark.parametrize("arguments, error", [
    (["character.lst"], 'error -32601: no method "character.lst"; did you mean "character.list"?'),
    (["character.describe", '{"character":"aln"}'],
     'error -32001: no character "aln"; did you mean "alan"? (params.character)'),
    (["fabric.set", '{"fabric":"tweed","values":{"edge":{"wind":"x"}}}'],
     'error -32602: params.values.edge.wind must be a finite number, not "x"'),
    (["simulation.step", '{"ticks":0}'], "error -32602: params.ticks must be an integer from 1 to 100000, not 0"),
])
def test_call_tells_an_error_as_the_server_says_it(common, arguments, error):
    assert outcome("call", *arguments, *at(common)) == (1, "", f"tweed: {error}\n")


def test_call_shows_where_a_script_failed(start, tmp_path):
    (tmp_path / "scene.lua").write_text("""local tweed = require "tweed"
return tweed.character {
  skeleton = tweed.skeleton { { name = "pole", position = { 0, 1, 0 } } },
  commands = { fall = { help = "fails", run = function() error("no\\27ground") end },
               give = { help = "gives no data", run = function() return { function() end } end } },
}
""")
    server = start(scene=tmp_path / "scene.lua")
    (name,) = [character["name"] for character in server.client().request("character.list")]
    params = json.dumps({"character": name, "command": "fall"})
    status, text, errors = outcome("call", "character.call", params, *at(server))
    assert (status, text) == (1, "")
    assert errors.startswith("tweed: error -32004: ") and "no?ground" in errors and "\x1b" not in errors
    errors = errors.replace(f"{tmp_path}/", "")
    assert errors.endswith("no?ground (params.command)\nscene.lua:4: in a function\n"), "its traceback comes below"
    params = json.dumps({"character": name, "command": "give"})
    assert outcome("call", "character.call", params, *at(server)) == (
        1, "", f"tweed: error -32004: {name}: commands.give: result[1]: expected plain data, found a function "
        "(params.command)\n"), "told once"


@pytest.mark.parametrize("params, error", [
    ('{"a":}', "the parameters are not JSON: expected a value at byte 5 of {\"a\":}"),
    ('{"a":1', 'the parameters are not JSON: expected "," or "}" at the end of {"a":1'),
    ("{'a':1}", "the parameters are not JSON: expected a key in quotes at byte 1 of {'a':1}"),
    ("", 'expected parameters such as {"character":"alan"}, found nothing'),
    ("[1]", 'expected parameters such as {"character":"alan"}, found [1]'),
    ("[]", 'expected parameters such as {"character":"alan"}, found []'),
    ("alan", 'expected parameters such as {"character":"alan"}, found alan'),
    ('"alan"', 'expected parameters such as {"character":"alan"}, found "alan"'),
])
def test_call_tells_the_place_where_the_parameters_are_wrong(params, error):
    """Without a server: nothing is sent."""
    assert outcome("call", "world.set", params, "--connect", "127.0.0.1:1") == (2, "", f"tweed: call: {error}\n")


def call_lines(server, text):
    result = subprocess.run([BINARY, "call", "-", *at(server)], input=text, capture_output=True, text=True,
                            timeout=20 * PATIENCE)
    return result.returncode, result.stdout, result.stderr


def test_call_takes_requests_from_stdin_over_one_connection(server):
    text = 'simulation.pause\n\n# half a second\n  simulation.step\t{"ticks": 30} \r\nfabric.list {}\nsimulation.resume'
    status, text, errors = call_lines(server, text)
    assert (status, errors) == (0, "")
    *lines, fabrics, last = text.splitlines()
    assert (lines, last) == (['{"tick":0,"holds":2}', '{"tick":30}'], '{"tick":30,"holds":0}')
    assert json.loads(fabrics)[0]["name"] == "cotton"
    assert call_lines(server, "") == (0, "", "")


def test_call_tells_the_lines_of_stdin_that_failed_and_goes_on(server):
    assert call_lines(server, 'world.gt\nworld.set {"ground":}\nsimulation.step {"ticks":0}\nworld.set {"ground":1}\n') == (
        1, '{"tick":0}\n',
        'tweed: line 1: error -32601: no method "world.gt"; did you mean "world.get"?\n'
        'tweed: line 2: the parameters are not JSON: expected a value at byte 10 of {"ground":}\n'
        "tweed: line 3: error -32602: params.ticks must be an integer from 1 to 100000, not 0\n")
    assert outcome("call", "-", "{}", *at(server)) == (2, "", 'tweed: call -: expected nothing more, found "{}"\n')


def test_call_takes_requests_as_they_are_typed(start):
    server = start(paused=False)
    master, slave = pty.openpty()
    call = subprocess.Popen([BINARY, "call", "-", *at(server)], stdin=slave, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
    os.close(slave)
    assert call.stderr.readline() == "tweed: %s:%d: type METHOD [JSON]; Ctrl-D ends\n" % server.address
    os.write(master, b"simulation.pause\n")
    tick = json.loads(call.stdout.readline())["tick"]
    os.write(master, b'simulation.step {"ticks":7}\n')
    assert json.loads(call.stdout.readline()) == {"tick": tick + 7}
    os.write(master, b"stream.subscribe\nsimulation.resume\n")
    assert json.loads(call.stdout.readline()) == {"view": 1, "characters": ["alan"]}
    assert json.loads(call.stdout.readline()) == {"tick": tick + 7, "holds": 0}
    client = server.client()
    time.sleep(0.5)  # frames come meanwhile, and are not left to the server
    (entry,) = [entry for entry in client.request("server.stats")["clients"] if entry["views"]]
    assert entry["frames_skipped"] == 0 and entry["queued_bytes"] < 1 << 16
    os.write(master, b"\x04")
    assert call.communicate(timeout=10 * PATIENCE) == ("", "")
    assert call.returncode == 0
    os.close(master)


def test_call_ends_with_the_server_while_nothing_is_typed(start):
    server = start()
    call = subprocess.Popen([BINARY, "call", "-", *at(server)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
    client = server.client()
    wait_until(lambda: len(client.request("server.stats")["clients"]) == 2)
    server.process.kill()
    assert call.wait(10 * PATIENCE) == 3
    assert call.communicate() == ("", "tweed: %s:%d closed the connection\n" % server.address)


@pytest.mark.parametrize("command", [["call", "server.stats"], ["stats"]])
def test_no_server(command, impostor, tmp_path, start):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        free = "127.0.0.1:%d" % listener.getsockname()[1]
    assert outcome(*command, "--connect", free) == (
        3, "", f"tweed: no server at {free}: cannot connect: Connection refused\n")
    path = tmp_path / "none.sock"
    assert outcome(*command, "--unix", path) == (
        3, "", f"tweed: no server at {path}: cannot connect: No such file or directory\n")
    address = impostor("SSH-2.0-OpenSSH\r\n")
    assert outcome(*command, "--connect", address) == (
        3, "", f"tweed: no tweed server at {address}: expected its greeting, found SSH-2.0-OpenSSH\n")
    address = impostor("")
    assert outcome(*command, "--connect", address) == (3, "", f"tweed: {address} closed the connection\n")
    full = start("--max-clients", 1)
    with full.client():
        assert outcome(*command, *at(full)) == (
            1, "", "tweed: error -32003: there are 1 connections already, the most there can be\n")


@pytest.mark.parametrize("command", [["call", "server.stats"], ["stats"]])
@pytest.mark.parametrize("answer", ["", '{"jsonrpc":"2.0","id":1,"result":{"tick":1}}'])
def test_a_server_that_dies_in_the_middle(impostor, command, answer):
    """Half a reply is none."""
    address = impostor(HELLO, answer)
    assert outcome(*command, "--connect", address) == (3, "", f"tweed: {address} closed the connection\n")


def test_what_cannot_be_written_fails(common):
    for command in (["call", "server.stats"], ["stats"]):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([BINARY, *command, *at(common)], stdout=full, stderr=subprocess.PIPE, text=True,
                                    timeout=20)
        assert (result.returncode, result.stderr) == (4, "tweed: cannot write the output: No space left on device\n")


def test_stats_are_those_of_the_server(server):
    client = server.client()
    client.request("session.open", client="a\x1b[2Jb")
    client.subscribe()
    client.step(30)
    status, text, errors = outcome("stats", *at(server))
    assert (status, errors) == (0, "")
    stats = client.request("server.stats")
    lines = text.splitlines()
    assert re.fullmatch(r"server    127\.0\.0\.1:%d, up \d+ s" % server.address[1], lines[0])
    assert lines[1] == "tick      30 (0.500 s), 60 a second, paused by 1 hold; 0 skipped"
    for line, key in ((lines[2], "lateness"), (lines[3], "work")):
        values = [stats[f"{key}_ms"][name] for name in ("p50", "p95", "p99", "max")]
        assert line == "%-9s half below %.2f ms, 95 %% below %.2f, 99 %% below %.2f, at most %.2f" % (key, *values)
    assert lines[4] == (f"world     1 character, {stats['garments']} garments ({stats['asleep']} asleep), "
                        f"{stats['particles']} particles")
    assert lines[5] == "trouble   0 unstable, 0 constraint conflicts"
    assert re.fullmatch(r"memory    \d+\.\d MiB, \d+\.\d MiB of it the scripts'", lines[6])
    assert lines[7] == ""
    assert lines[8] == "  id  client                role     views queued bytes     frames    skipped  name"
    (watching,) = [line for line in lines[9:] if line.split()[3] == "1"]
    frames = next(entry for entry in stats["clients"] if entry["views"])["frames_sent"]
    assert re.fullmatch(rf" +1  127\.0\.0\.1:\d+ +operator +1 +0 +{frames} +0  a\?\[2Jb", watching)
    assert len(lines) == 11, "and tweed's own connection"


@pytest.mark.parametrize("command", ["call", "stats", "watch", "record"])
def test_help(command):
    status, text, errors = outcome(command, "--help")
    assert (status, errors) == (0, "")
    assert text.startswith(f"usage:\n  tweed {command} [OPTION…]")
    for words in ("--connect HOST:PORT", "--unix PATH", "127.0.0.1:7601"):
        assert words in text


def test_help_of_call_lists_the_methods(guest):
    text = run("call", "--help").stdout
    assert re.findall(r"^  (\w+\.\w+)$", text, re.MULTILINE) == guest.request("server.describe")["methods"]


@pytest.mark.parametrize("line, error", [
    ("call", "call: expected a method to call (such as server.describe), found none"),
    ("call a {} b", 'call: expected nothing more, found "b"'),
    ("stats a", 'stats: expected nothing more, found "a"'),
    ("stats --connect 127.0.0.1", '--connect: expected HOST:PORT such as 127.0.0.1:7601, found "127.0.0.1"'),
    ("stats --connect 127.0.0.1:0", '--connect: expected HOST:PORT such as 127.0.0.1:7601, found "127.0.0.1:0"'),
    ("stats --conect 127.0.0.1:1", "no option --conect; did you mean --connect?"),
])
def test_wrong_usage(line, error):
    assert outcome(*line.split(" ")) == (2, "", f"tweed: {error}\n")


def complete(*words):
    """What bash offers for the last of the words."""
    script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; _tweed; printf "%s\\n" "${COMPREPLY[@]}"'
    result = subprocess.run(["bash", "-c", script, "bash", ROOT / "server/app/completions/tweed", *words],
                            capture_output=True, text=True, timeout=20, check=True)
    assert result.stderr == ""
    return sorted(result.stdout.split())


def test_completions_offer_what_the_help_tells():
    assert complete(BINARY, "s") == ["serve", "stats"]
    assert complete(BINARY, "stats", "--") == ["--connect", "--help", "--timeout", "--token-file", "--unix"]
    assert complete(BINARY, "re") == ["record", "reference", "replay"]
    assert complete(BINARY, "call", "fabric.") == ["fabric.export", "fabric.get", "fabric.list", "fabric.save", "fabric.set"]
    assert complete(BINARY, "call", "--connect", "127.0.0.1", ":", "1", "world.g") == ["world.get"]  # as bash splits it
    assert complete(BINARY, "call", "--unix", "/tmp/tweed", "world.g") == ["world.get"]
    assert complete(BINARY, "call", "world.get", "") == []
    assert complete(BINARY, "serve", "--log", "w") == ["warning"]
    assert complete(BINARY, "serve", "--log-time", "") == ["local", "none", "utc"]
    assert complete(BINARY, "serve", "--jsonlivelink", "") == ["127.0.0.1:54321"]
    assert complete(BINARY, "serve", "--json") == ["--jsonlivelink", "--jsonlivelink-rate", "--jsonlivelink-remote"]
    assert complete(BINARY, "stats", "--connect", "1") == ["127.0.0.1:7601"]
    assert complete(BINARY, "stats", "--token-file", f"{ROOT}/REA") == [f"{ROOT}/README.md"]
    assert complete(BINARY, "serve", f"{ROOT}/REA") == [f"{ROOT}/README.md"]


def test_completions_of_watch_ask_the_server_of_the_line(server):
    assert complete(BINARY, "watch", "--connect", "%s:%d" % server.address, "al") == ["alan"]
    assert complete(BINARY, "watch", "--connect", "127.0.0.1:1", "al") == []


def popen(*arguments, **options):
    return subprocess.Popen([str(BINARY), *map(str, arguments)], stdin=subprocess.DEVNULL, text=True, **options)


def views(client):
    return sum(entry["views"] for entry in client.request("server.stats")["clients"])


def test_watch_prints_bones_as_they_come(server):
    bones = ["Hips", "hood"]
    client = server.client()
    client.subscribe(bones=bones, layout="trs", static=False)
    first = client.event("stream.frame")
    watch = popen("watch", "alan", "--bones", "Hips", "--bones=hood", "--ticks", 4, *at(server),
                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until(lambda: views(client) == 2)
    frames = [first, *client.step(3)]
    text, errors = watch.communicate(timeout=20 * PATIENCE)
    assert (watch.returncode, errors) == (0, "")
    expected = [[str(frame["tick"]), "alan", bone, *values[:7]]
                for frame in frames for bone, values in zip(bones, frame["bones"])]
    found = [line.split("\t") for line in text.splitlines()]
    assert [line[:3] + [float(value) for value in line[3:]] for line in found] == expected
    assert len(expected) == 8


def test_watch_counts_frames(start):
    server = start(paused=False)
    text = run("watch", *at(server), "--ticks", 150, timeout=60).stdout
    lines = [line.split("\t") for line in text.splitlines()]
    assert lines
    for tick, name, rate, missed in lines:
        assert int(tick) > 0 and name == "alan" and re.fullmatch(r"\d+ missed", missed)
        assert re.fullmatch(r"\d+\.\d frames/s", rate) and 0 < float(rate.split()[0]) < 200


LIGHT = """local tweed = require "tweed"
return tweed.character { skeleton = tweed.skeleton { { name = "Hips", position = { 0, 1, 0 } } } }
"""


def test_the_first_rate_is_as_right_as_the_next(start, tmp_path):
    """In the best of five runs, of a character whose ticks any machine keeps: one that skips ticks sends fewer frames."""
    (tmp_path / "characters").mkdir()
    (tmp_path / "characters/light.lua").write_text(LIGHT)
    scene = tmp_path / "scene.lua"
    scene.write_text('return require("tweed").scene { spawn = { { script = "characters/light", name = "alan" } } }')
    server = start("--no-shed", scene=scene, paused=False)

    def are_right():
        text = run("watch", *at(server), "--rate", 3, "--ticks", 150, timeout=60).stdout
        rates = [float(line.split("\t")[2].split()[0]) for line in text.splitlines()]
        runs.append(rates)
        return len(rates) >= 2 and all(2.7 < rate < 3.3 for rate in rates)

    runs = []
    assert any(are_right() for _ in range(5)), runs


def test_watch_tells_the_rates_of_less_than_a_second_as_well(server):
    client = server.client()
    watch = popen("watch", "--ticks", 4, *at(server), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until(lambda: views(client) == 1)
    client.step(3)
    text, errors = watch.communicate(timeout=20 * PATIENCE)
    assert (watch.returncode, errors) == (0, "")
    assert re.fullmatch(r"3\talan\t\d+\.\d frames/s\t0 missed", text.splitlines()[-1])


BONES = ("Hips, LHipJoint, LeftUpLeg, LeftLeg, LeftFoot, LeftToeBase, RHipJoint, RightUpLeg, RightLeg, RightFoot, "
         "RightToeBase, LowerBack, Spine, Spine1, Neck, Neck1, Head, LeftShoulder, LeftArm, LeftForeArm, LeftHand, "
         "LeftFingerBase, LFingers, LThumb, RightShoulder, RightArm, RightForeArm, RightHand, RightFingerBase, RFingers, "
         "RThumb, nape, pad_left, breast_left, waist_front_left, blade_left, waist_back_left, sleeve_left, "
         "sleeve_twist_left, cuff_left, cuff_twist_left, pad_right, breast_right, waist_front_right, blade_right, "
         "waist_back_right, sleeve_right, sleeve_twist_right, cuff_right, cuff_twist_right, jacket_*, hood")


def test_watch_tells_what_matches_nothing_and_what_there_is(common):
    watch = popen("watch", "nobody", "no*", "alan", "--bones", "none", "--bones=hood*", "--bones", "jaket_0_0", *at(common),
                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert watch.stderr.readline() == 'tweed: no character matches "nobody" yet; there is alan\n'
    assert watch.stderr.readline() == 'tweed: no character matches "no*" yet; there is alan\n'
    assert watch.stderr.readline() == f'tweed: no bone matches "none"; there are {BONES}\n'
    assert watch.stderr.readline() == 'tweed: no bone matches "jaket_0_0"; did you mean "jacket_0_0"?\n'
    assert watch.stdout.readline().startswith("0\talan\thood\t")
    watch.send_signal(signal.SIGINT)
    assert watch.communicate(timeout=10 * PATIENCE) == ("", "")
    assert watch.returncode == 0
    watch = popen("watch", "alam", *at(common), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert watch.stderr.readline() == 'tweed: no character matches "alam" yet; did you mean "alan"?\n'
    watch.send_signal(signal.SIGINT)
    assert watch.communicate(timeout=10 * PATIENCE) == ("", "")


def test_watch_looks_for_bones_at_a_character_of_each_script(start, tmp_path):
    (tmp_path / "scene.lua").write_text("""local tweed = require "tweed"
return tweed.scene { spawn = {
  { script = "characters/wake" }, { script = "characters/wake" }, { script = "pole" }, { script = "pole" } } }
""")
    (tmp_path / "pole.lua").write_text("""local tweed = require "tweed"
return tweed.character { skeleton = tweed.skeleton { { name = "pole", position = { 0, 1, 0 } } } }
""")
    server = start(scene=tmp_path / "scene.lua")
    watch = popen("watch", "*", "--bones", "pole", "--bones=hood", "--bones=none*", *at(server), stdout=subprocess.PIPE,
                  stderr=subprocess.PIPE)
    assert watch.stderr.readline() == f'tweed: no bone matches "none*"; there are {BONES}, pole\n'
    bones = [watch.stdout.readline().split("\t")[1:3] for _ in range(4)]
    assert sorted(bones) == [["pole", "pole"], ["pole_2", "pole"], ["wake", "hood"], ["wake_2", "hood"]]
    watch.send_signal(signal.SIGINT)
    assert watch.communicate(timeout=10 * PATIENCE) == ("", "")


def test_record_tells_what_matches_nothing_and_goes_on(start, tmp_path):
    (tmp_path / "scene.lua").write_text("return require('tweed').scene {}\n")
    server = start(scene=tmp_path / "scene.lua")
    path = tmp_path / "a.ndjson"
    record = popen("record", path, "--ticks", 1, *at(server), stderr=subprocess.PIPE)
    assert record.stderr.readline() == "tweed: there are no characters yet\n"
    other = popen("record", "-", "--view", '{"characters":["al*","b*"],"bones":["Hips","x"]}', "--ticks", 1, *at(server),
                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert other.stderr.readline() == 'tweed: no character matches "al*" yet; there are none\n'
    assert other.stderr.readline() == 'tweed: no character matches "b*" yet; there are none\n'
    client = server.client()
    wait_until(lambda: views(client) == 2)
    client.request("character.spawn", script="characters/wake", name="alan")
    client.request("simulation.step", ticks=2)
    assert record.wait(20 * PATIENCE) == other.wait(20 * PATIENCE) == 0
    waits = "tweed: no frame yet: waits for a character to record (--timeout limits that)\n"  # after a second
    said, other_said = record.stderr.read().removeprefix(waits), other.communicate()[1].removeprefix(waits)
    assert re.fullmatch(re.escape(f"{path}: 1 frame, ticks ") + r"\d to \d, \d\.\d MiB\n", said)
    assert other_said.startswith("-: 1 frame, ")


def test_record_says_which_kinds_match_nothing(server):
    def record(**view):
        return outcome("record", "-", "--view", json.dumps(view), "--ticks", 1, "--timeout", 9, *at(server))[2].split("\n")

    assert record(kinds=["chain", "cloth", "pendulum"])[0] == 'tweed: no bone is of the kind "chain"'
    assert record(bones=["Hips"], kinds=["cloth"])[0] == "tweed: no bone that matches is of these kinds"
    assert record(bones=["jacket_*"], kinds=["cloth"])[0].startswith("-: 1 frame, ")


def test_record_says_that_it_waits_and_ends_where_no_frame_comes_in_time(server, tmp_path):
    path = tmp_path / "a.ndjson"
    where = "%s:%d" % server.address
    assert outcome("record", path, "--ticks", 1, "--timeout", 2, "--view", '{"characters":["bob"]}', *at(server)) == (
        5, "", 'tweed: no character matches "bob" yet; there is alan\n'
        "tweed: no frame yet: waits for a character to record (--timeout limits that)\n"
        f"tweed: {where} sent no frame within 2 s (--timeout)\n{path}: no frames\n")
    assert outcome("watch", "bob", "--timeout", 1, *at(server)) == (
        5, "", 'tweed: no character matches "bob" yet; there is alan\n'
        f"tweed: {where} sent no frame within 1 s (--timeout)\n")


def watch_on_terminal(*arguments, until, end=signal.SIGINT, size=(24, 80)):
    """What `tweed watch` draws until some text is there, or a function of what is drawn is true, and it is ended; and
    what it says on stderr."""
    is_drawn = until if callable(until) else lambda drawn: until in drawn
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    watch = popen("watch", *arguments, stdout=slave, stderr=subprocess.PIPE)
    os.close(slave)
    drawn, deadline = b"", time.monotonic() + 10 * PATIENCE
    while not is_drawn(drawn.decode(errors="ignore")):
        assert time.monotonic() < deadline, drawn[-1000:]
        drawn += os.read(master, 4096)
    watch.send_signal(end)
    with contextlib.suppress(OSError):  # the other side is closed
        while chunk := os.read(master, 4096):
            drawn += chunk
    os.close(master)
    assert watch.wait(10 * PATIENCE) == 0
    with watch.stderr as errors:
        return drawn.decode(), errors.read()


def test_watch_draws_on_a_terminal_and_leaves_it_as_it_was(common):
    text, errors = watch_on_terminal("alan", "--bones", "Hips", *at(common), until="alan Hips", end=signal.SIGTERM)
    assert errors == ""
    assert text.startswith("\x1b[?1049h\x1b[?25l") and text.endswith("\x1b[?25h\x1b[?1049l")
    assert "%-10s%8s%8s%8s%8s%8s%8s%8s" % ("bone", *"x y z qx qy qz qw".split()) in text
    assert re.search(r"\x1b\[Hbone +x +y +z +qx +qy +qz +qw\x1b\[K\r+\n"
                     r"alan Hips +(-?\d+\.\d{3} +){6}-?\d+\.\d{3}\x1b\[K", text)


def test_watch_says_on_a_terminal_that_it_waits(common):
    _, errors = watch_on_terminal("nobody", *at(common), until="waiting for frames…")
    assert errors == 'tweed: no character matches "nobody" yet; there is alan\n'


def test_watch_says_on_a_terminal_that_no_bone_matches(common):
    _, errors = watch_on_terminal("alan", "--bones", "no*", *at(common), until="no bone matches")
    assert errors == f'tweed: no bone matches "no*"; there are {BONES}\n'


def test_watch_keeps_the_rows_of_a_name_that_begins_like_a_removed_one(server):
    client, removed = server.client(), []
    for name in ("guest", "guest 2"):
        client.request("character.spawn", script="characters/wake", name=name)
    client.step(1)

    def last_screen(drawn):
        return "".join(drawn.split("\x1b[H")[1:-1][-1:])  # that is whole

    def is_without_guest(drawn):
        screen = last_screen(drawn)
        if not removed and "guest Hips" in screen and "guest 2 Hips" in screen:
            removed.append(client.request("character.remove", character="guest"))
        return removed and "guest Hips" not in screen

    text, _ = watch_on_terminal("guest*", "--bones", "Hips", *at(server), until=is_without_guest)
    assert "guest 2 Hips" in last_screen(text)


def test_watch_tells_what_the_terminal_has_no_room_for(common):
    text, errors = watch_on_terminal("alan", *at(common), until="more", size=(8, 30))
    assert errors == ""
    screen = text[:text.index("more") + 4].rsplit("\x1b[H", 1)[1]
    lines = re.sub(r"\x1b\[K|\r", "", screen).splitlines()
    assert len(lines) == 7, "a head, five bones, what is left, and below it the cursor"
    assert lines[-1] == "… and 254 more" and all(len(line) <= 30 for line in lines)


def test_watch_when_the_server_dies(start):
    server = start()
    watch = popen("watch", *at(server), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until(lambda: views(server.client()) == 1)
    server.process.kill()
    text, errors = watch.communicate(timeout=10 * PATIENCE)
    assert (watch.returncode, errors) == (3, "tweed: %s:%d closed the connection\n" % server.address)


def test_a_recording_is_the_stream_itself(server, tmp_path):
    path = tmp_path / "walk.ndjson"
    client = server.client()
    record = popen("record", path, "--view", '{"layout":"trs","policy":"latest"}', *at(server), "--ticks", 61,
                   stderr=subprocess.PIPE)
    wait_until(lambda: views(client) == 1)
    client.subscribe(layout="trs", policy="queue")
    client.request("character.play", character="alan", clip="walk", loop=True)
    client.step(60)
    _, errors = record.communicate(timeout=20 * PATIENCE)
    size = path.stat().st_size
    assert (record.returncode, errors) == (0, f"{path}: 61 frames, ticks 0 to 60, {size / 2**20:.1f} MiB\n")
    lines = path.read_bytes().split(b"\n")
    assert lines.pop() == b"", "the last line is whole"
    assert json.loads(lines[0])["params"] == client.hello
    assert json.loads(lines[1]) == {"jsonrpc": "2.0", "id": 1, "method": "stream.subscribe",
                                    "params": {"layout": "trs", "policy": "queue"}}
    assert lines[2] == b'{"jsonrpc":"2.0","id":1,"result":{"view":1,"characters":["alan"]}}'
    assert json.loads(lines[3])["method"] == "stream.static"
    with server.client() as second:  # the static data is the same for whoever asks
        second.subscribe(layout="trs")
        assert second.next_notification("stream.static")["raw"] == lines[3]
    frames = [line for line in lines if b'"stream.frame"' in line]
    assert [json.loads(line)["params"]["tick"] for line in frames] == list(range(61))


def test_ctrl_c_ends_a_recording_with_a_whole_line(start, tmp_path):
    server = start(paused=False)
    path = tmp_path / "a.ndjson"
    for number in (signal.SIGINT, signal.SIGTERM):
        record = popen("record", path, "--view", '{"particles":true}', *at(server), stderr=subprocess.PIPE)
        wait_until(lambda: path.exists() and path.stat().st_size > 2e6)
        record.send_signal(number)
        _, errors = record.communicate(timeout=10 * PATIENCE)
        assert record.returncode == 0
        assert re.fullmatch(re.escape(str(path)) + r": \d+ frames, ticks \d+ to \d+, \d+\.\d MiB\n", errors)
        data = path.read_bytes()
        assert data.endswith(b"}}\n")
        ticks = [message["params"]["tick"] for message in map(json.loads, data.splitlines())
                 if message.get("method") == "stream.frame"]
        assert ticks == list(range(ticks[0], ticks[0] + len(ticks))), "nothing is left out"
        path.unlink()


def test_a_recording_goes_to_stdout(start):
    server = start(paused=False)
    result = run("record", "-", "--ticks", 1, "--view", '{"static":false,"bones":["Hips"]}', *at(server))
    assert result.returncode == 0 and re.fullmatch(r"-: 1 frame, ticks (\d+) to \1, 0\.0 MiB\n", result.stderr)
    messages = [json.loads(line) for line in result.stdout.splitlines()]
    assert [message.get("method") for message in messages[:5]] == [
        "server.hello", "stream.subscribe", None, "stream.static", "stream.frame"]


def test_what_a_recording_cannot_be(server, tmp_path):
    folder = tmp_path / "none" / "a"
    assert outcome("record", folder, *at(server)) == (
        4, "", f"tweed: cannot write {folder}: No such file or directory\n")
    assert outcome("record", "/dev/full", *at(server)) == (
        4, "", "tweed: cannot write /dev/full: No space left on device\n"
               "/dev/full: no frames\n")
    kept = tmp_path / "kept"
    kept.write_text("mine")
    assert outcome("record", kept, *at(server), "--view", '{"axis":1}') == (
        1, "", 'tweed: error -32602: stream.subscribe has no parameter "axis"; did you mean "axes"? (params.axis)\n')
    assert outcome("record", kept, *at(server), "--view", '{"axes"}') == (
        2, "", 'tweed: --view: the parameters are not JSON: expected ":" at byte 7 of {"axes"}\n')
    assert outcome("record", kept, "--connect", "127.0.0.1:1") == (
        3, "", "tweed: no server at 127.0.0.1:1: cannot connect: Connection refused\n")
    assert kept.read_text() == "mine", "a file is touched only once there is something to write"


def test_a_full_disk_leaves_whole_lines(start, tmp_path):
    server = start(paused=False)
    path = tmp_path / "a.ndjson"
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300001, 300001))
    record = popen("record", path, *at(server), stderr=subprocess.PIPE, preexec_fn=limit, restore_signals=False)
    _, errors = record.communicate(timeout=20 * PATIENCE)
    assert record.returncode == 4 and errors.startswith(f"tweed: cannot write {path}: File too large\n{path}: ")
    data = path.read_bytes()
    assert data.endswith(b"}}\n") and 100000 < len(data) <= 300001


def test_a_recording_of_a_server_that_dies(start, tmp_path):
    server = start(paused=False)
    path = tmp_path / "a.ndjson"
    record = popen("record", path, *at(server), stderr=subprocess.PIPE)
    wait_until(lambda: path.exists() and path.stat().st_size > 1e6)
    server.process.kill()
    _, errors = record.communicate(timeout=10 * PATIENCE)
    assert record.returncode == 3
    assert errors.startswith("tweed: %s:%d closed the connection\n%s: " % (*server.address, path))
    assert path.read_bytes().endswith(b"}}\n")


def test_a_server_that_never_answers_is_given_up(tmp_path):
    """It greets, and goes on telling of things; call and stats wait as long as --timeout says."""
    hello = {"jsonrpc": "2.0", "method": "server.hello", "params": {"authentication": "none"}}
    event = {"jsonrpc": "2.0", "method": "log", "params": {"tick": 1, "level": "info", "message": "here"}}

    def chatter(connection):
        with connection, contextlib.suppress(OSError):
            connection.sendall(json.dumps(hello).encode() + b"\n")
            for _ in range(200):
                connection.sendall(json.dumps(event).encode() + b"\n")
                time.sleep(0.05)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = "127.0.0.1:%d" % listener.getsockname()[1]
        for arguments, method in ((["stats"], "server.stats"), (["call", "session.ping"], "session.ping"),
                                  (["call", "simulation.step", '{"ticks":1}'], "simulation.step")):
            begun = time.monotonic()
            process = subprocess.Popen([BINARY, *arguments, "--connect", address, "--timeout", "1"],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            threading.Thread(target=chatter, args=(listener.accept()[0],), daemon=True).start()
            output = process.communicate(timeout=20)
            assert (process.returncode, *output) == (
                5, "", f"tweed: {address} did not answer {method} within 1 s (--timeout)\n")
            assert 0.9 < time.monotonic() - begun < 4 * PATIENCE


def test_a_full_disk_is_what_watch_names(start):
    server = start(paused=False)
    for arguments in (["alan"], []):
        with open("/dev/full", "w") as full:
            result = subprocess.run([BINARY, "watch", "--connect", "%s:%d" % server.address, "--ticks", "1000", *arguments],
                                    stdout=full, stderr=subprocess.PIPE, text=True, timeout=12 * PATIENCE)
        assert (result.returncode, result.stderr) == (4, "tweed: cannot write the output: No space left on device\n")
