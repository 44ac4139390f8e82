"""tweed as a service: what it tells its supervisor, the systemd unit, the manual pages."""
import os
import re
import shutil
import signal
import socket
import subprocess
import time

import pytest
from harness import BINARY, PATIENCE, ROOT, run

RELEASE = os.environ.get("TWEED_PRESET", "release") == "release"


@pytest.fixture
def supervisor(tmp_path, monkeypatch):
    """The socket that a supervisor waits at."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(str(tmp_path / "notify"))
        receiver.settimeout(5 * PATIENCE)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.delenv("WATCHDOG_PID", raising=False)
        yield receiver


@pytest.mark.parametrize("paused", [False, True])
def test_a_supervisor_hears_of_the_start_of_ticks_and_of_the_end(start, supervisor, monkeypatch, paused):
    monkeypatch.setenv("WATCHDOG_USEC", "600000")
    server = start(paused=paused)
    assert supervisor.recv(4096) == b"READY=1"
    begun, beats = time.monotonic(), []
    while len(beats) < 5:
        beats.append(supervisor.recv(4096).decode())
    assert 0.5 < time.monotonic() - begun < 2 * PATIENCE, "five of 0.2 s"
    form = r"WATCHDOG=1\nSTATUS=%s \d+, \d+\.\d\d ms of work a tick, 0 clients" % ("paused at tick" if paused else "tick")
    assert all(re.fullmatch(form, beat) for beat in beats), beats
    os.kill(server.process.pid, signal.SIGSTOP)  # stands for a tick that never ends
    time.sleep(0.1)
    supervisor.setblocking(False)
    while True:
        try:
            supervisor.recv(4096)
        except BlockingIOError:
            break
    supervisor.settimeout(0.8)
    with pytest.raises(TimeoutError):
        supervisor.recv(4096)
    supervisor.settimeout(5 * PATIENCE)
    os.kill(server.process.pid, signal.SIGCONT)
    server.process.terminate()
    while supervisor.recv(4096) != b"STOPPING=1":
        pass


def test_the_watchdog_of_another_process_is_not_fed(start, supervisor, monkeypatch):
    monkeypatch.setenv("WATCHDOG_USEC", "30000")
    monkeypatch.setenv("WATCHDOG_PID", "1")
    start()
    assert supervisor.recv(4096) == b"READY=1"
    supervisor.settimeout(0.5)
    try:
        assert b"WATCHDOG" not in supervisor.recv(4096)
    except TimeoutError:
        pass


def test_a_supervisor_that_is_gone_or_does_not_read_holds_nothing_up(start, supervisor, monkeypatch):
    monkeypatch.setenv("WATCHDOG_USEC", "3000")  # a sign of life each tick, and a queue of few
    client = start(paused=False).client()
    supervisor.close()
    first = client.request("session.ping")["tick"]
    time.sleep(0.5)
    assert client.request("session.ping")["tick"] > first + 10


def test_clients_are_told_of_the_end(start):
    server = start()
    client = server.client()
    server.process.terminate()
    assert client.event("log", message="the server is shutting down")["level"] == "info"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--install", BINARY.parent.parent, "--prefix", prefix], check=True, capture_output=True)
    return prefix


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze here")
def test_the_unit_exposes_little(installed):
    unit = installed / "lib/systemd/system/tweed.service"
    result = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", unit],
                            capture_output=True, text=True)
    (level,) = re.findall(r"Overall exposure level for tweed.service: ([\d.]+)", result.stdout)
    assert float(level) <= 2.0, result.stdout
    text = unit.read_text()
    for line in ("Type=notify", "DynamicUser=yes", "ProtectSystem=strict", "MemoryDenyWriteExecute=yes",
                 "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX", f"ExecStart={installed}/bin/tweed serve $TWEED_SCENE"):
        assert line + "\n" in text
    verified = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True,
                              env={**os.environ, "MANPATH": str(installed / "share/man")})
    assert (verified.returncode, verified.stderr) == (0, "")


def test_the_sample_of_tokens_is_one(installed, tmp_path):
    sample = (installed / "share/doc/tweed/examples/tokens").read_text()
    assert "0600" in sample
    tokens = tmp_path / "tokens"
    tokens.write_text(sample.replace("# operator ", "operator ").replace("# observer ", "observer "))
    tokens.chmod(0o600)
    stderr = run("serve", tmp_path / "none.lua", "--listen", "127.0.0.1:0", "--token-file", tokens).stderr
    assert len(stderr.splitlines()) == 1 and stderr.endswith("none.lua: no such file\n")


def pages_of(installed):
    return sorted((installed / "share/man").glob("man*/*"))


def test_there_is_a_page_for_each_command_and_for_lua(installed):
    names = [page.name for page in pages_of(installed)]
    commands = re.findall(r"^  tweed (\w+)", run("--help").stdout, re.MULTILINE)
    pages = [f"tweed-{command}.1" for command in commands if command not in ("types", "reference", "manual")]
    assert names == sorted(["tweed.1", "tweed.lua.5", *pages])
    assert sorted(run("manual").stdout.split()) == names
    assert run("manual", "tweed-fly.1").stderr == 'tweed: manual: no page "tweed-fly.1"; tweed manual lists them\n'


def test_a_page_has_all_options_of_its_command(installed):
    for command in "serve", "call", "check", "bake", "watch":
        page = (installed / f"share/man/man1/tweed-{command}.1").read_text().replace("\\-", "-")
        for option in re.findall("^  --([a-z-]+)", run(command, "--help").stdout, re.MULTILINE):
            assert f"\n\\fB--{option}\\fR" in page
            if option != "help":
                assert "Variable: \\fBTWEED_%s\\fR" % option.upper().replace("-", "_") in page


def test_the_page_of_lua_has_all_of_the_reference(installed):
    page = (installed / "share/man/man5/tweed.lua.5").read_text().replace("\\-", "-")
    reference = run("reference").stdout
    for heading in re.findall("^### (.*)$", reference, re.MULTILINE):
        assert f'.SS "{heading}"' in page, heading
    rows = [row for row in re.findall(r"^\| `(.*?)` \|", reference, re.MULTILINE)]
    assert len(rows) > 200 and page.count("\n.TP\n") >= len(rows)


@pytest.mark.skipif(not shutil.which("man"), reason="no man here")
def test_man_has_no_warnings(installed):
    for page in pages_of(installed):
        result = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], capture_output=True,
                                env={**os.environ, "LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80"})
        assert (result.returncode, result.stderr) == (0, b""), page.name


@pytest.mark.skipif(not shutil.which("mandoc"), reason="no mandoc here")
def test_mandoc_has_no_warnings(installed):
    result = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages_of(installed)], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "")
