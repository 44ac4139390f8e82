"""`tweed` on the command line: options, messages, exit statuses, signals, the port file and the Unix socket."""
import json
import os
import pty
import re
import resource
import signal
import socket
import stat
import subprocess
import time

import pytest
from harness import BINARY, PATIENCE, ROOT, SANITIZED, WAKE, Client, Closed, StartFailure, light_assets, run

SERVE_OPTIONS = ["--listen", "--unix", "--port-file", "--rate", "--threads", "--paused", "--scripts", "--allow-save", "--assets", "--log",
                 "--log-time", "--seed", "--http", "--no-http", "--allow-origin", "--web"]


def assert_usage_error(*arguments, words=()):
    result = run(*arguments)
    assert result.returncode == 2, (arguments, result)
    assert result.stdout == ""
    for word in words:
        assert word in result.stderr, result.stderr
    assert len(result.stderr.splitlines()) <= 4, "a mistake is answered by a sentence, not by the manual"


def test_version():
    """Version, commit and build; the first line is what scripts read."""
    (version,) = re.findall(r"project\(tweed VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
    cache = (BINARY.parent.parent / "CMakeCache.txt").read_text()
    (kind,) = re.findall("^CMAKE_BUILD_TYPE:STRING=(.*)$", cache, re.MULTILINE)
    result = run("--version")
    assert (result.returncode, result.stderr) == (0, "")
    first, commit, build = result.stdout.splitlines()
    assert first == f"tweed {version}"
    assert re.fullmatch(r"commit (unknown|[0-9a-f]{12}(-dirty)?)", commit)
    assert re.fullmatch(rf"build {kind}, GNU \d+\.\d+\.\d+, \w+(, sanitized: [a-z,]+)?(, without assimp)?(, without HTTP)?",
                        build), build


def test_hello_says_what_version_says(server):
    hello = server.client().hello
    assert run("--version").stdout == "tweed {version}\ncommit {commit}\nbuild {build}\n".format(**hello)


def test_help():
    result = run("--help")
    assert (result.returncode, result.stderr) == (0, "")
    assert "serve" in result.stdout and "check" in result.stdout and "--version" in result.stdout


def test_help_of_serve_names_every_option():
    result = run("serve", "--help")
    assert (result.returncode, result.stderr) == (0, "")
    for option in SERVE_OPTIONS:
        assert option in result.stdout, option
    assert "7601" in result.stdout


def test_help_names_the_environment():
    for command in "serve", "stats", "check", "bake":
        assert "TWEED_LOG_TIME=utc is --log-time utc" in run(command, "--help").stdout


def test_options_in_the_environment(start, monkeypatch):
    monkeypatch.setenv("TWEED_RATE", "30")
    monkeypatch.setenv("TWEED_PAUSED", "1")
    server = start(paused=False)
    hello = server.client().hello
    assert (hello["tick_rate"], hello["paused"]) == (30, True)
    monkeypatch.setenv("TWEED_CONNECT", "%s:%d" % server.address)
    assert run("stats").returncode == 0
    monkeypatch.setenv("TWEED_RATE", "fast")
    assert_usage_error("serve", WAKE, words=["TWEED_RATE: expected a whole number from 30 to 240, found \"fast\""])


def test_help_of_check():
    result = run("check", "--help")
    assert (result.returncode, result.stderr) == (0, "")
    assert "FILE" in result.stdout


def test_types_and_reference_are_those_beside_the_scripts():
    for command, path in (("types", "types/tweed.lua"), ("reference", "REFERENCE.md")):
        result = run(command)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout == (ROOT / "scripts" / path).read_text(), f"tweed {command} > scripts/{path}"


def test_check_prints_lines_for_editors_and_json_for_tools(tmp_path):
    (tmp_path / "a.lua").write_text("local tweed = require 'tweed'\nreturn tweed.scene {\n  grond = 0,\n"
                                    "  gravity = { 0, -9.81, 'x' },\n}\n")
    lines = run("check", "a.lua", cwd=tmp_path)
    assert lines.returncode == 1
    assert lines.stdout.splitlines() == [
        'a.lua:3: error: grond: unknown key; did you mean "ground"?',
        'a.lua:4: error: gravity[3]: expected a number of -300 to 300 m/s^2, found the string "x"']
    tools = run("check", "--json", "a.lua", cwd=tmp_path)
    assert (tools.returncode, tools.stderr) == (1, "")
    findings = json.loads(tools.stdout)
    assert findings == {"errors": 2, "warnings": 0, "findings": [
        {"file": "a.lua", "line": 3, "severity": "error", "path": "grond",
         "message": 'unknown key; did you mean "ground"?'},
        {"file": "a.lua", "line": 4, "severity": "error", "path": "gravity[3]",
         "message": 'expected a number of -300 to 300 m/s^2, found the string "x"'}]}
    missing = json.loads(run("check", "--json", "none.lua", cwd=tmp_path).stdout)["findings"]
    assert missing == [{"file": "none.lua", "severity": "error", "path": "", "message": "no such file"}]
    (tmp_path / "a.lua").write_text("return require('tweed').scene {}\n")
    assert json.loads(run("check", "--json", "a.lua", cwd=tmp_path).stdout) == {
        "errors": 0, "warnings": 0, "findings": []}


def test_no_command_is_wrong_usage():
    assert run().returncode == 2


@pytest.mark.parametrize("arguments, words", [
    (["bogus"], ["bogus"]),
    (["--bogus"], ["--bogus"]),
    (["serv", WAKE], ["serv", "serve"]),
    (["serve"], ["serve", "scene"]),
    (["check"], ["check", "file"]),
    (["serve", WAKE, "--bogus"], ["--bogus"]),
    (["serve", WAKE, "--pausd"], ["--pausd", "--paused"]),
    (["serve", WAKE, "--rate"], ["--rate"]),
    (["serve", WAKE, "--rate", "29"], ["--rate", "29", "30", "240"]),
    (["serve", WAKE, "--rate", "241"], ["--rate", "241"]),
    (["serve", WAKE, "--rate", "fast"], ["--rate", "fast"]),
    (["serve", WAKE, "--rate", "60x"], ["--rate", "60x"]),
    (["serve", WAKE, "--rate", ""], ["--rate"]),
    (["serve", WAKE, "--threads", "0"], ["--threads", "0"]),
    (["serve", WAKE, "--threads", "-1"], ["--threads", "-1"]),
    (["serve", WAKE, "--threads", "many"], ["--threads", "many"]),
    (["serve", WAKE, "--seed", "x"], ["--seed", "x"]),
    (["serve", WAKE, "--log", "loud"], ["--log", "loud", "info"]),
    (["serve", WAKE, "--listen", "nonsense"], ["--listen", "nonsense"]),
    (["serve", WAKE, "--listen", "127.0.0.1"], ["--listen", "127.0.0.1"]),
    (["serve", WAKE, "--listen", "127.0.0.1:99999"], ["--listen", "99999"]),
    (["serve", WAKE, "--listen", "127.0.0.1:-1"], ["--listen"]),
    (["check", WAKE, "--rate", "60"], ["--rate"]),
])
def test_wrong_usage_is_status_2_and_says_what(arguments, words):
    assert_usage_error(*arguments, words=words)


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "192.0.2.1"])
def test_another_address_than_loopback_is_refused(host):
    result = run("serve", WAKE, "--listen", f"{host}:0")
    assert result.returncode in (1, 2)
    assert host.strip("[]") in result.stderr and "loopback" in result.stderr


def test_a_missing_scene_fails_with_its_name(tmp_path):
    result = run("serve", tmp_path / "no_such.lua", "--listen", "127.0.0.1:0")
    assert result.returncode == 1
    assert "no_such.lua" in result.stderr


def test_a_folder_is_no_scene(tmp_path):
    result = run("serve", tmp_path, "--listen", "127.0.0.1:0")
    assert result.returncode == 1
    assert result.stderr.endswith(f" error: {tmp_path}: expected the file of a scene or a character, found a folder\n")


def test_missing_folders_of_scripts_and_assets_are_warned_of(start, tmp_path):
    (tmp_path / "file").touch()
    options = ["--scripts", tmp_path / "none", "--assets", tmp_path / "file"]
    warnings = [f"warning: --scripts {tmp_path}/none: there is no such folder",
                f"warning: --assets {tmp_path}/file: expected a folder, found a file"]
    log = start(*options).log()
    assert [line for line in log.splitlines() if "--" in line] == warnings
    assert run("check", WAKE, *options).stderr.splitlines()[:2] == warnings


def test_a_broken_scene_fails_with_its_place(tmp_path):
    (tmp_path / "broken.lua").write_text("local tweed = require 'tweed'\nreturn tweed.scene { grond = 0 }\n")
    port_file = tmp_path / "port"
    result = run("serve", tmp_path / "broken.lua", "--listen", "127.0.0.1:0", "--port-file", port_file)
    assert result.returncode == 1
    assert "broken.lua:2" in result.stderr and "grond" in result.stderr and "ground" in result.stderr
    assert not port_file.exists()


def test_a_busy_port_fails_with_its_number(server):
    result = run("serve", WAKE, "--listen", f"127.0.0.1:{server.ports['tcp']}")
    assert result.returncode == 1
    assert str(server.ports["tcp"]) in result.stderr and "in use" in result.stderr


def test_a_busy_port_of_http_fails_with_its_number(server):
    result = run("serve", WAKE, "--listen", "127.0.0.1:0", "--http", f"127.0.0.1:{server.ports['http']}")
    assert result.returncode == 1
    assert f"cannot listen on 127.0.0.1:{server.ports['http']}: address already in use" in result.stderr


def test_the_port_file_says_what_is_bound(server):
    assert server.ports == {"tcp": server.ports["tcp"], "http": server.ports["http"]}
    assert [path.name for path in server.folder.iterdir() if path.name not in ("log", "port.json")] == []


def test_a_port_file_that_cannot_be_written_fails(tmp_path):
    result = run("serve", WAKE, "--listen", "127.0.0.1:0", "--port-file", tmp_path / "no/such/folder/port")
    assert result.returncode == 1
    assert "no/such/folder/port: No such file or directory" in result.stderr


def test_a_port_file_that_does_not_fit_on_the_disk_fails_and_leaves_nothing(tmp_path):
    """A limit on the size of files stands for a full disk: the first bytes are written, the others are not."""
    def allow_ten_bytes():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))

    result = run("serve", WAKE, "--listen", "127.0.0.1:0", "--port-file", tmp_path / "port", preexec_fn=allow_ten_bytes)
    assert result.returncode == 1
    assert f"--port-file {tmp_path / 'port'}: File too large\n" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_ipv6_loopback(start):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    server = start(listen="[::1]:0")
    with socket.create_connection(("::1", server.ports["tcp"]), timeout=5) as connection:
        assert b"server.hello" in connection.recv(4096)


def test_the_unix_socket_is_private_and_speaks_the_same(start, tmp_path):
    path = tmp_path / "tweed.sock"
    server = start("--unix", path)
    assert server.ports["unix"] == str(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with Client(str(path)) as client:
        assert client.hello["protocol"] == 1
        client.subscribe()
        assert [frame["tick"] for frame in client.step(3)][-1] == 3
    assert server.stop()[0] == 0
    assert not path.exists(), "it takes its socket along"


def test_a_stale_unix_socket_is_replaced(start, tmp_path):
    path = tmp_path / "tweed.sock"
    stale = socket.socket(socket.AF_UNIX)
    stale.bind(str(path))
    stale.close()
    assert path.exists()
    start("--unix", path)
    Client(str(path)).close()


def test_a_unix_socket_in_use_or_another_file_is_left_alone(start, tmp_path):
    path = tmp_path / "tweed.sock"
    start("--unix", path)
    with pytest.raises(StartFailure):
        start("--unix", path)
    Client(str(path)).close()
    other = tmp_path / "precious.txt"
    other.write_text("mine")
    with pytest.raises(StartFailure):
        start("--unix", other)
    assert other.read_text() == "mine"


def test_several_scenes_make_one_world(start, tmp_path):
    second = tmp_path / "second.lua"
    second.write_text("""local tweed = require "tweed"
return tweed.scene { spawn = { { script = "characters/human", name = "barry", position = {2, 0, 0} } } }
""")
    client = start(second).client()
    assert [character["name"] for character in client.request("character.list")] == ["alan", "barry"]


def test_a_characters_file_is_a_scene_of_one(start):
    client = start(scene=ROOT / "scripts/characters/wake.lua").client()
    (character,) = client.request("character.list")
    assert character["script"] == "characters/wake"


def test_it_works_from_any_folder(start, tmp_path):
    server = start(directory=tmp_path)
    assert server.client().request("character.list")[0]["name"] == "alan"


@pytest.mark.alone
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_in_order_and_at_once(start, number):
    server = start(paused=False)
    client, idle = server.client(), server.client()
    client.subscribe()
    client.event("stream.frame")
    begin = time.monotonic()
    server.process.send_signal(number)
    ticks = []
    with pytest.raises(Closed) as closed:
        while True:
            message = client.read()
            ticks += [message["params"]["tick"]] if message["method"] == "stream.frame" else []
    assert not closed.value.reset and client.buffer == b"", "the last line is whole"
    assert ticks == sorted(set(ticks)), "in order; a busy machine skips some"
    with pytest.raises(Closed):
        while True:
            idle.read()
    assert server.process.wait(10) == 0
    assert time.monotonic() - begin < 1.0 * PATIENCE


@pytest.mark.alone
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_a_paused_server_with_status_0(start, number):
    for _ in range(3):
        server = start()
        client = server.client()
        client.subscribe()
        status, seconds = server.stop(number)
        assert status == 0 and seconds < 1.0 * PATIENCE, server.log()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_a_server_that_is_still_loading_with_status_0(tmp_path, number):
    scene = tmp_path / "endless.lua"
    scene.write_text('require("tweed").log("info", "here")\nwhile true do end')
    command = [BINARY, "serve", scene, "--listen", "127.0.0.1:0", "--no-http", "--script-budget", "60000", "--log-time", "none"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr.readline() == "endless: here\n"
            process.send_signal(number)
            assert process.wait(10 * PATIENCE) == 0
        finally:
            process.kill()


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_server_without_standard_files_runs_and_ends_in_order(tmp_path, closed):
    port_file = tmp_path / "port"
    command = f'exec "$0" serve "$1" --listen 127.0.0.1:0 --no-http --port-file "$2" --log debug {closed}'
    process = subprocess.Popen(["/bin/sh", "-c", command, BINARY, WAKE, port_file], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 15 * PATIENCE
        while not port_file.exists():
            assert process.poll() is None and time.monotonic() < deadline, process.returncode
            time.sleep(0.01)
        with Client(("127.0.0.1", json.loads(port_file.read_text())["tcp"])) as client:
            client.request("session.ping")
            process.send_signal(signal.SIGTERM)
            assert process.wait(10 * PATIENCE) == 0
            assert client.read()["method"] == "log"  # the server is shutting down
            with pytest.raises(Closed):
                client.read()  # else: what was printed went into this connection
    finally:
        process.kill()
        process.wait()


def test_a_closed_stdout_is_told_as_one_that_cannot_be_written(server):
    connect = "%s:%d" % server.address
    command = 'exec "$0" "$@" --connect ' + connect + ' >&-'
    for arguments in (["call", "session.ping"], ["stats"], ["watch", "--ticks", "1"]):
        with server.client() as client:
            client.request("simulation.resume")
        result = subprocess.run(["/bin/sh", "-c", command, BINARY, *arguments], stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=10 * PATIENCE)
        assert (result.returncode, result.stderr) == (
            4, "tweed: cannot write the output: Bad file descriptor\n"), arguments


@pytest.mark.alone
def test_a_slow_client_holds_the_end_up_three_seconds_at_most(start):
    server = start(paused=False)
    stopped = server.client(receive_buffer=4096)
    stopped.subscribe(particles=True, precision=7)
    time.sleep(1)
    status, seconds = server.stop()
    assert status == 0 and seconds <= 3.0 * PATIENCE


@pytest.mark.alone
def test_a_second_signal_ends_it_at_once(start):
    server = start(paused=False)
    stopped = server.client(receive_buffer=4096)
    stopped.subscribe(particles=True, precision=7)
    time.sleep(1)
    server.process.send_signal(signal.SIGTERM)
    time.sleep(0.05)
    begin = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    server.process.wait(5)
    assert time.monotonic() - begin < 0.5 * PATIENCE


def test_the_terminal_says_what_is_loaded_and_how_to_listen(server):
    server.wait_for_log("}}\n")
    log = server.log()
    assert "wake" in log
    assert f"nc 127.0.0.1 {server.ports['tcp']}" in log, "a line to try"
    assert "stream.subscribe" in log, "a line to paste"


def test_the_line_to_paste_works(server):
    server.wait_for_log("}}\n")
    line = next(line for line in server.log().splitlines() if "stream.subscribe" in line)
    pasted = line[line.index("{"):line.rindex("}") + 1]
    client = server.client()
    client.send_bytes(pasted.encode() + b"\n")
    reply = client.read()
    assert reply["id"] == json.loads(pasted)["id"] and "view" in reply["result"]
    assert client.event("stream.frame")["tick"] == 0


def test_the_log_is_calm(start):
    server = start(paused=False)
    client = server.client()
    client.subscribe()
    time.sleep(3)
    assert len(server.log().splitlines()) < 25, server.log()


UTC = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z "
INDIA = UTC[:-2] + r"\+05:30 "


@pytest.mark.parametrize("options, time_pattern", [([], UTC), (["--log-time", "utc"], UTC), (["--log-time=local"], INDIA),
                                                   (["--log-time", "none"], "")])
def test_a_log_that_is_no_terminal_has_the_time_of_each_line(options, time_pattern):
    command = [BINARY, "serve", WAKE, "--listen", "127.0.0.1:0", "--no-http", *options]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "TZ": "IST-5:30"}) as process:
        try:
            lines = [process.stderr.readline() for _ in range(6)]
            process.terminate()
            *_, last = process.stderr.read().splitlines()
        finally:
            process.kill()
    assert re.fullmatch(time_pattern + r"tweed \d+\.\d+\.\d+\n", lines[0])
    assert re.fullmatch(time_pattern + r"  scene     wake: .*\n", lines[1])
    assert all(re.match(time_pattern + "  [a-z]", line) for line in lines[1:])
    assert re.fullmatch(time_pattern + r"stopped at tick \d+", last)


@pytest.mark.parametrize("options, time_pattern", [([], ""), (["--log-time", "utc"], UTC)])
def test_a_log_on_a_terminal_has_no_time_unless_asked(options, time_pattern):
    master, slave = pty.openpty()
    command = [BINARY, "serve", WAKE, "--listen", "127.0.0.1:0", "--no-http", *options]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=slave) as process:
        try:
            os.close(slave)
            text = b""
            while text.count(b"\n") < 3:
                text += os.read(master, 4096)
        finally:
            process.kill()
    os.close(master)
    assert re.match(time_pattern + r"tweed \d+\.\d+\.\d+\r\n" + time_pattern + "  scene     wake: ", text.decode())


def test_log_levels(start):
    quiet = start("--log", "error")
    quiet.client().send_bytes(b"POST / HTTP/1.1\r\n\r\n")
    time.sleep(0.3)
    assert "HTTP" not in quiet.log()


PRINTS = """local tweed = require "tweed"
print("loaded", 1, "\27[2J")
tweed.log("warning", "odd")
return tweed.character {
  skeleton = tweed.skeleton { { name = "pole", position = { 0, 1, 0 } } },
  on_spawn = function() print("spawned") end,
}
"""


def test_check_passes_on_what_scripts_print(tmp_path):
    (tmp_path / "a.lua").write_text(PRINTS)
    (tmp_path / "scene.lua").write_text("""local tweed = require "tweed"
print "here"
return tweed.scene { spawn = { { script = "a", name = "eve" } } }
""")
    plain = run("check", "a.lua", cwd=tmp_path)
    loaded = "a.lua: print: loaded\t1\t?[2J\na.lua: log warning: odd\n"
    assert (plain.returncode, plain.stdout, plain.stderr) == (
        0, "", loaded + "a.lua: print: a: spawned\n1 file: 0 errors, 0 warnings\n")
    tools = run("check", "--json", "scene.lua", cwd=tmp_path)
    assert tools.stdout == '{"errors":0,"warnings":0,"findings":[]}\n'
    assert tools.stderr == "scene.lua: print: here\n" + loaded + "a.lua: print: eve: spawned\n"
    both = run("check", ".", cwd=tmp_path)
    assert (both.stdout, both.stderr) == (
        "", loaded + "a.lua: print: a: spawned\nscene.lua: print: here\n2 files: 0 errors, 0 warnings\n")


def test_check_says_what_cannot_be_written_and_drives_no_terminal(tmp_path):
    (tmp_path / "a.lua").write_text('return require("tweed").scene { ["\\27[2Jx"] = 1 }\n')
    result = run("check", "a.lua", cwd=tmp_path)
    assert result.stdout.startswith('a.lua:1: error: ["?[2Jx"]: unknown key; known are ')
    (tmp_path / "a.lua").write_text("return require('tweed').scene {}\n")
    for command in (["check", "--json", "a.lua"], ["types"]):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([BINARY, *command], stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
        assert (result.returncode, result.stderr) == (1, "tweed: cannot write the output: No space left on device\n")


def test_check_of_a_folder_checks_every_script_below_it(tmp_path):
    for folder in ("characters", "fabrics", "garments", "scenes", ".hidden"):
        (tmp_path / folder).mkdir()
    (tmp_path / "characters/pole.lua").write_text("""local tweed = require "tweed"
local belt = require "garments.belt"
return tweed.character { skeleton = tweed.skeleton { { name = belt.bone, position = { 0, 1, 0 } } } }
""")
    (tmp_path / "garments/belt.lua").write_text('require "garments.buckle"\nreturn { bone = "pole" }\n')
    (tmp_path / "garments/buckle.lua").write_text("return 1\n")
    (tmp_path / "fabrics/felt.lua").write_text("return tweed.fabric { name = 'felt', density = .4 }\n")
    (tmp_path / "scenes/all.lua").write_text("return tweed.scene { spawn = { { script = 'characters/pole' } } }\n")
    (tmp_path / ".hidden/a.lua").write_text("return oops(\n")
    result = run("check", tmp_path, cwd="/")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "5 files: 0 errors, 0 warnings\n")
    (tmp_path / "garments/buckle.lua").write_text("return oops(\n")
    (tmp_path / "fabrics/felt.lua").write_text("return tweed.fabric { name = 'felt', density = 99 }\n")
    result = run("check", ".", cwd=tmp_path)
    assert (result.returncode, result.stdout.splitlines(), result.stderr) == (1, [
        "fabrics/felt.lua:1: error: density: expected a number of 0.005 to 20 kg/m^2, found 99",
        "garments/buckle.lua:2: error: unexpected symbol near <eof>",
        "    garments/belt.lua:1: in the file",
        "    characters/pole.lua:2: in the file",
    ], "5 files: 2 errors, 0 warnings\n")
    (tmp_path / "empty").mkdir()
    result = run("check", "empty", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (1, "empty: error: no .lua file in this folder\n")


def test_check_passes_the_folder_of_shipped_scripts():
    folder = ROOT / "scripts" / ("fabrics" if SANITIZED else "")
    result = run("check", *(light_assets() if SANITIZED else []), folder, timeout=300)
    files = len(list(folder.rglob("*.lua")))
    lines = [line for line in result.stderr.splitlines() if ": info: garment " not in line]
    assert (result.returncode, result.stdout, lines) == (0, "", [f"{files} files: 0 errors, 0 warnings"])


def test_a_fabric_is_checked_with_those_beside_it(tmp_path):
    folder = tmp_path / "fabrics" / "wools"
    folder.mkdir(parents=True)
    (tmp_path / "fabrics" / "linen.lua").write_text('return tweed.fabric { name = "linen", density = .2 }\n')
    (folder / "wet.lua").write_text('return tweed.fabric { name = "wet_linen", base = "linen", density = .4 }\n')
    for file, cwd in [(folder / "wet.lua", ROOT), ("fabrics/wools/wet.lua", tmp_path), ("wet.lua", folder)]:
        result = run("check", file, cwd=cwd)
        assert (result.stdout, result.returncode) == ("", 0)
    (tmp_path / "fabrics" / "linen.lua").write_text('return tweed.fabric { name = "linen", density = 99 }\n')
    lines = run("check", "fabrics/wools/wet.lua", cwd=tmp_path).stdout.splitlines()
    assert lines == ["fabrics/linen.lua:1: error: density: expected a number of 0.005 to 20 kg/m^2, found 99",
                     'fabrics/wools/wet.lua:1: error: base: fabric "linen" has errors']


def test_check_of_a_missing_file_fails_with_its_name(tmp_path):
    result = run("check", tmp_path / "nowhere.lua")
    assert result.returncode == 1
    assert "nowhere.lua" in result.stdout + result.stderr


def test_no_home_no_locale_no_terminal(start):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "de_DE.UTF-8"}
    result = run("check", WAKE, timeout=60, env=environment)
    assert result.returncode == 0, result.stderr
