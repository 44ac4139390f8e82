"""A log that nobody reads holds nothing up: not the ticks, not requests, not the end of the server."""
import fcntl
import json
import os
import re
import signal
import socket
import subprocess
import time

import pytest
import recorder
from harness import BINARY, PATIENCE, Client

LINES = 6000  # more than the server keeps
SCENE = """local tweed = require "tweed"
return tweed.scene { spawn = {} }"""


@pytest.fixture(params=["pipe", "terminal"])
def unread(request, tmp_path):
    """A server with a log at the level debug, and the descriptor that nobody reads it from yet."""
    if request.param == "pipe":
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    else:
        reader, writer = os.openpty()
    (tmp_path / "scene.lua").write_text(SCENE)
    port_file = tmp_path / "ports"
    process = subprocess.Popen([BINARY, "serve", tmp_path / "scene.lua", "--listen", "127.0.0.1:0", "--no-http", "--log",
                                "debug", "--log-time", "none", "--port-file", port_file, "--max-clients", "64"],
                               stdin=subprocess.DEVNULL, stdout=writer, stderr=writer, start_new_session=True)
    os.close(writer)
    deadline = time.monotonic() + 10 * PATIENCE
    while not port_file.exists():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    ports = json.loads(port_file.read_text())
    recorder.add_server(ports, "log")
    yield process, ("127.0.0.1", ports["tcp"]), reader
    process.kill()
    process.wait()
    os.close(reader)
    recorder.remove_server(ports)


def flood(address, lines):
    """Makes the server log so many lines: two for each connection."""
    for _ in range(lines // 2):
        with socket.create_connection(address, timeout=10 * PATIENCE) as connection:
            connection.recv(1)


def read_all(descriptor):
    os.set_blocking(descriptor, False)
    text, quiet = b"", time.monotonic() + 1
    while time.monotonic() < quiet:
        try:
            text += os.read(descriptor, 65536)
            quiet = time.monotonic() + 1
        except BlockingIOError:
            time.sleep(0.01)
    return text.decode().replace("\r", "\n")


def test_ticks_go_on_and_what_is_lost_is_told(unread):
    process, address, reader = unread
    flood(address, LINES)
    with Client(address) as client:
        first = client.request("session.ping")["tick"]
        time.sleep(0.5)
        assert client.request("session.ping")["tick"] >= first + 20, "30 are due"
        told = read_all(reader)
        flood(address, 2)
    told += read_all(reader)
    lost = re.search(r"(?:^|\033\[K|\n)warning: nobody read the log: (\d+) lines are lost\n", told)
    assert lost and 100 < int(lost[1]) < LINES, told[-500:]
    assert "connected from" in told[lost.end():]


def test_a_signal_ends_the_server(unread):
    process, address, _ = unread
    flood(address, 1000)
    begun = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert process.wait(10 * PATIENCE) == 0
    assert time.monotonic() - begun < 3 * PATIENCE
