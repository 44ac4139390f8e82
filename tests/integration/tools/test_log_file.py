"""The log as others read it: in a file that is rotated, as JSON, with names that are meant to mislead; and SIGHUP."""
import json
import os
import pty
import re
import resource
import signal
import subprocess
import time

import pytest
from harness import BINARY, PATIENCE, run, wait_until

EVIL = "eve\x1b[2J\u009b\u202e\nerror: forged"
UNSAFE = "\x1b\u009b\u202e"
SCENE = 'return require("tweed").scene {{ spawn = {{}}, {} }}\n'


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "empty.lua"
    path.write_text(SCENE.format(""))
    return path


def test_a_rotated_file_is_opened_again_by_sighup(start, scene, tmp_path):
    log, old = tmp_path / "tweed.log", tmp_path / "tweed.log.1"
    log.write_text("of an earlier run\n")
    server = start("--log-file", log, scene=scene)
    assert server.log() == "", "stderr stays empty"
    wait_until(lambda: "listens" in log.read_text())
    assert log.read_text().startswith("of an earlier run\n")
    log.rename(old)
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: log.exists() and "SIGHUP" in log.read_text())
    assert "SIGHUP" not in old.read_text()
    log.unlink()
    log.mkdir()
    server.process.send_signal(signal.SIGHUP)
    server.client().request("session.ping")
    assert server.stop()[0] == 0, "a file that cannot be opened ends nothing"


def test_a_log_file_that_cannot_be_opened_fails_with_its_name(scene, tmp_path):
    result = run("serve", scene, "--listen", "127.0.0.1:0", "--log-file", tmp_path / "none/log")
    assert (result.returncode, result.stderr) == (
        1, f"tweed: --log-file {tmp_path}/none/log: No such file or directory\n")


def test_what_a_full_disk_does_not_take_is_counted(start, scene, tmp_path):
    """A limit on the size of files stands for a full disk; a new file, for room on it."""
    log = tmp_path / "log"
    server = start("--log-file", log, "--log", "debug", scene=scene)
    wait_until(lambda: "listens" in log.read_text())
    size = log.stat().st_size
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size + 20, resource.RLIM_INFINITY))
    for _ in range(3):
        server.client().close()
    server.client().request("session.ping")
    wait_until(lambda: log.stat().st_size == size + 20)
    time.sleep(0.2)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    server.client().request("session.ping")
    wait_until(lambda: "File too large" in log.read_text(), report=log.read_text)
    (notice,) = [line for line in log.read_text().splitlines() if "File too large" in line]
    assert notice.startswith("warning: the log could not be written: File too large: ") and "lost" in notice


def test_json_lines_with_evil_names(start, scene, tmp_path):
    server = start("--log-format", "json", scene=scene)
    client = server.client()
    client.request("session.open", client=EVIL)
    client.send_bytes(b"GET / HTTP/1.1\r\n")
    with server.client() as slow:
        slow.request("session.open", client=EVIL)
    scene.write_text(SCENE.format(f'["{EVIL}"] = 1'.replace("\n", "\\n")))
    server.wait_for_log("unknown key")
    text = server.log()
    assert not any(c in text for c in UNSAFE)
    lines = [json.loads(line) for line in text.splitlines()]
    assert all(line["level"] in ("error", "warning", "info") and line["message"] and line["time"].endswith("Z")
               for line in lines)
    failed = next(line for line in lines if "[\"eve" in line["message"])
    assert failed["level"] == "error" and failed["script"] == "empty" and UNSAFE[1] in failed["message"]
    assert "listens" in next(line for line in lines if line["message"].startswith("listens"))["message"]


def test_a_script_is_a_field_of_its_lines(start, tmp_path):
    scene = tmp_path / "says.lua"
    scene.write_text('local tweed = require "tweed"\ntweed.log("warning", "low\\non thread")\nreturn tweed.scene {}\n')
    server = start("--log-format", "json", scene=scene)
    (line,) = [json.loads(line) for line in server.log().splitlines() if "low" in line]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line.pop("time"))
    assert line == {"level": "warning", "message": "says: low\non thread", "script": "says"}


def test_sighup_reads_tokens_and_scripts_again(start, scene, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text("operator first-token-of-this-file\n")
    tokens.chmod(0o600)
    server = start("--token-file", tokens, scene=scene)
    client = server.client()
    client.request("session.open", token="first-token-of-this-file")
    server.process.send_signal(signal.SIGHUP)
    client.event("script.loaded", script="fabrics/veil")
    client.event("script.loaded", script="empty")
    server.wait_for_log(f"SIGHUP: reading the tokens and the scripts again\n{tokens} has not changed\n")
    tokens.write_text("nonsense\n")
    server.process.send_signal(signal.SIGHUP)
    server.wait_for_log("the old tokens stay")
    assert server.client().request("session.open", token="first-token-of-this-file")["role"] == "operator"


def test_sighup_while_it_loads_waits(start, tmp_path):
    scene = tmp_path / "slow.lua"
    scene.write_text('require("tweed").log("info", "here")\nlocal x = 0\nfor i = 1, 3e7 do x = x + i end\n'
                     'return require("tweed").scene {}\n')
    log = tmp_path / "log"
    with open(log, "w") as file:
        process = subprocess.Popen([BINARY, "serve", scene, "--listen", "127.0.0.1:0", "--no-http", "--log-time", "none"],
                                   stdin=subprocess.DEVNULL, stderr=file)
    try:
        wait_until(lambda: "here" in log.read_text())
        process.send_signal(signal.SIGHUP)
        wait_until(lambda: "SIGHUP" in log.read_text(), report=log.read_text)
    finally:
        process.terminate()
        assert process.wait(10 * PATIENCE) == 0


def test_a_terminal_that_is_closed_ends_it(scene, tmp_path):
    port = tmp_path / "port"
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(BINARY, ["tweed", "serve", str(scene), "--listen", "127.0.0.1:0", "--no-http", "--port-file", str(port)])
    wait_until(port.exists)
    os.close(terminal)
    wait_until(lambda: os.waitpid(pid, os.WNOHANG) != (0, 0))


def test_nohup_keeps_sighup_away(start, scene):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        server = start(scene=scene)
    finally:
        signal.signal(signal.SIGHUP, before)
    server.process.send_signal(signal.SIGHUP)
    server.client().request("session.ping")
    assert "SIGHUP" not in server.log()


def test_check_prints_names_safely(tmp_path):
    """No name forges a line, nor drives the terminal; JSON holds the name whole."""
    evil = EVIL.replace("\n", "\\n").replace("\x1b", "\\27")
    (tmp_path / "a.lua").write_text(SCENE.format(f'["{evil}"] = 1'))
    lines = run("check", "a.lua", cwd=tmp_path).stdout.splitlines()
    assert lines == ['a.lua:1: error: ["eve?[2J???error: forged"]: unknown key; known are '
                     'ground, gravity, wind, spawn, camera, levels, on_start']
    (tmp_path / "x\ny.lua: error: forged").mkdir()
    (tmp_path / "x\ny.lua: error: forged/b.lua").write_text("print('a\\nb')\n" + SCENE.format("grond = 1"))
    result = run("check", tmp_path / "x\ny.lua: error: forged", cwd=tmp_path)
    assert not [line for line in (result.stdout + result.stderr).splitlines() if line.startswith(("y.lua", "b"))]
    text = run("check", "--json", "a.lua", cwd=tmp_path).stdout
    assert not any(c in text for c in UNSAFE)
    assert json.loads(text)["findings"][0]["path"] == f'["{EVIL}"]'


def test_answers_and_mistakes_are_printed_safely(start, scene):
    server = start(scene=scene)
    client = server.client()
    client.request("session.open", client=EVIL)
    result = run("call", "--connect", "127.0.0.1:%d" % server.address[1], "server.stats")
    assert not any(c in result.stdout for c in UNSAFE)
    assert json.loads(result.stdout)["clients"][0]["client"] == EVIL.replace("\n", " ")
    for arguments in ([EVIL], ["serve", "--" + EVIL], ["serve", "a", "--rate", EVIL], ["call", "-", EVIL]):
        message = run(*arguments).stderr
        assert not any(c in message for c in UNSAFE) and message.count("\n") == 1, message


def test_a_limit_on_lines_counts_errors(start, tmp_path):
    scene = tmp_path / "floods.lua"
    scene.write_text("""local tweed = require "tweed"
return tweed.scene { spawn = { { script = "flood", name = "a" } } }""")
    (tmp_path / "flood.lua").write_text("""local tweed = require "tweed"
return tweed.character { skeleton = tweed.skeleton { { name = "root", position = {0, 1, 0} } },
  on_tick = function(self) for i = 1, 100 do tweed.request("character.remove", { character = "c" .. i }) end end }""")
    server = start("--log-limit", "20", "--scripts", tmp_path, scene=scene, paused=False)
    server.wait_for_log("left out by --log-limit 20")
    seconds = 3
    before = len(server.log().splitlines())
    time.sleep(seconds)
    assert len(server.log().splitlines()) - before <= (seconds + 1) * 21
    assert "of them error" in server.log()
