"""A real tweed server in a process of its own, and a small blocking client of its TCP protocol.

Used by the integration tests and tests/bench. Everything has a time limit, so nothing hangs.
"""
import atexit
import functools
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections import deque
from pathlib import Path

import recorder

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = Path(os.environ.get("TWEED_BINARY", ROOT / "build/release/bin/tweed"))
WAKE = ROOT / "scripts/scenes/wake.lua"
BARE = ROOT / "tests/integration/bare"  # scripts that stand in for those that make the man's meshes

# Sanitizers cost speed: limits that only guard against hanging are this much longer with them.
PATIENCE = 6.0 if os.environ.get("TWEED_PRESET", "release") != "release" else 1.0

# Bytes of what was freed that a sanitizer keeps: limits of memory are so much wider with it.
QUARANTINE = 256 << 20 if PATIENCE > 1 else 0

# With sanitizers, tests that measure for long, or the same many times, do so for a shorter stretch of the same paths:
# what sanitizers look for shows there.
SANITIZED = PATIENCE > 1


def few(cases):
    """The first of cases that go the same paths, with sanitizers; all without."""
    return cases[:1] if SANITIZED else cases


# With sanitizers, scripts may take longer than the default of 50 ms, where a test does not say how long.
if SANITIZED:
    os.environ.setdefault("TWEED_SCRIPT_BUDGET", "300")

# Errors about a request, which name the field that is to blame: "params.…", or "method".
POINTING = {-32601, -32602, -32001, -32002, -32003, -32004, -32010}


class RpcError(Exception):
    """An error reply. `path` is data.path, where the server names the offending field."""

    def __init__(self, error):
        super().__init__(f"{error.get('code')}: {error.get('message')} {error.get('data', '')}")
        self.code = error["code"]
        self.message = error["message"]
        self.data = error.get("data") or {}
        self.path = self.data.get("path")


class Closed(Exception):
    """The server closed the connection; `reset` tells an abortive end from an orderly one."""

    def __init__(self, reset=False):
        super().__init__("connection reset" if reset else "connection closed by the server")
        self.reset = reset


class StartFailure(Exception):
    """The server did not start; `log` is what it wrote."""

    def __init__(self, what, log=""):
        super().__init__(f"{what}\n{log}")
        self.log = log


class Client:
    """One connection. Notifications that arrive while a reply is awaited are kept, in order."""

    def __init__(self, address, timeout=12.0, receive_buffer=None, read_hello=True):
        self.timeout = timeout * PATIENCE
        self.socket = socket.socket(socket.AF_INET if isinstance(address, tuple) else socket.AF_UNIX)
        self.socket.settimeout(self.timeout)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect(address)
        self.buffer = bytearray()
        self.searched = 0
        self.kept = deque()
        self.next_id = 1
        self.hello = None
        self.open()
        if read_hello:
            message = self.read()
            if message.get("method") != "server.hello":
                raise AssertionError(f"expected server.hello first, got {message}")
            self.hello = message["params"]

    def open(self):
        """What a transport says before the first message."""

    # --- lines ---

    def send_bytes(self, data):
        self.socket.sendall(data)

    def send(self, message):
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def read_line(self, timeout=None):
        """The next line as bytes, without its end. TimeoutError after the time limit, Closed at the end."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            end = self.buffer.find(b"\n", self.searched)
            if end >= 0:
                line = bytes(self.buffer[:end])
                del self.buffer[: end + 1]
                self.searched = 0
                return line
            self.searched = len(self.buffer)
            self.socket.settimeout(max(deadline - time.monotonic(), 1e-3))
            try:
                data = self.socket.recv(1 << 18)
            except (ConnectionResetError, BrokenPipeError) as failure:
                raise Closed(reset=True) from failure
            except socket.timeout as failure:
                raise TimeoutError(f"nothing from the server; pending {bytes(self.buffer[:200])!r}") from failure
            if not data:
                raise Closed()
            self.buffer += data

    def read(self, timeout=None):
        """The next message, parsed; "raw" holds its bytes where it is a notification."""
        line = self.read_line(timeout)
        message = json.loads(line, parse_constant=_refuse_constant)
        if isinstance(message, dict) and "method" in message:
            message["raw"] = line
        return message

    # --- requests ---

    def start(self, method, **params):
        """Sends a request without waiting; gives its id."""
        identifier = self.next_id
        self.next_id += 1
        self.send({"jsonrpc": "2.0", "id": identifier, "method": method, "params": params})
        return identifier

    def finish(self, identifier, timeout=None):
        """Waits for the reply to `identifier`, `timeout` seconds at most, longer with sanitizers."""
        limit = None if timeout is None else timeout * PATIENCE
        while True:
            message = self.read(limit)
            if isinstance(message, dict) and "method" in message:
                self.kept.append(message)
                continue
            if message.get("jsonrpc") != "2.0" or message.get("id") != identifier:
                raise AssertionError(f"expected the reply to {identifier}, got {message}")
            if "error" in message:
                error = RpcError(message["error"])
                if error.code in POINTING and error.path is None:
                    raise AssertionError(f"data.path is missing: {message}")
                raise error
            return message["result"]

    def request(self, method, timeout=None, **params):
        return self.finish(self.start(method, **params), timeout)

    def notify(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def error(self, method, **params):
        """The error that a request must be answered with."""
        try:
            result = self.request(method, **params)
        except RpcError as error:
            return error
        raise AssertionError(f"{method} {params} should have failed, but gave {result}")

    # --- what the server sends unasked ---

    def next_notification(self, method=None, timeout=None, **match):
        """The next notification of that method whose params hold `match`; others before it are dropped. Waits `timeout`
        seconds at most, longer with sanitizers."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout * PATIENCE)
        while True:
            message = self.kept.popleft() if self.kept else self.read(max(deadline - time.monotonic(), 1e-3))
            params = message.get("params", {})
            if method in (None, message.get("method")) and all(params.get(k) == v for k, v in match.items()):
                return message

    def event(self, method, timeout=None, **match):
        return self.next_notification(method, timeout, **match)["params"]

    def take(self, method=None):
        """Takes the kept notifications (of one method), as their params, in order."""
        taken, left = [], deque()
        for message in self.kept:
            (taken if method in (None, message["method"]) else left).append(message)
        self.kept = left
        return [message["params"] for message in taken]

    def drain(self, seconds=0.0):
        """Reads and keeps what arrives until nothing has come for `seconds`."""
        while True:
            try:
                self.kept.append(self.read(timeout=max(seconds, 1e-3)))
            except TimeoutError:
                return

    # --- the simulation ---

    def subscribe(self, **view):
        """Subscribes; gives the reply."""
        return self.request("stream.subscribe", **view)

    def step(self, ticks, timeout=None):
        """Steps a paused server and gives the frames that came, the params of stream.frame, in order."""
        limit = timeout or self.timeout / PATIENCE + 0.05 * ticks
        end = self.request("simulation.step", limit, ticks=ticks)["tick"]
        return [frame for frame in self.take("stream.frame") if frame["tick"] > end - ticks]

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _refuse_constant(name):
    raise AssertionError(f"{name} is no JSON number")


def own_port():
    """A port for a server that another is to follow on the same one: below those that the system gives to others."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


@functools.cache
def light_assets():
    """Options for every fourth frame of the motion capture that the shipped characters play: reading it is most of what
    a server with sanitizers does until it has started. None where there is no such file."""
    whole = Path("/usr/share/assimp/models/BVH/01_01.bvh")
    if not whole.exists():
        return []
    folder = tempfile.mkdtemp(prefix="tweed-assets-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    skeleton, motion = whole.read_text().split("MOTION\n")
    _, time_of_frame, *frames = motion.splitlines()
    frames = frames[::4]
    light = Path(folder, "BVH/01_01.bvh")
    light.parent.mkdir()
    light.write_text("\n".join([f"{skeleton}MOTION", f"Frames: {len(frames)}",
                               f"Frame Time: {4 * float(time_of_frame.split()[-1])}", *frames, ""]))
    return ["--assets", folder]


class Server:
    """`tweed serve` on a free port: of the shipped scene, whose man has no meshes unless they are asked for. Ends with
    `stop`, or with the `with` block."""

    def __init__(self, *options, scene=WAKE, paused=True, listen="127.0.0.1:0", directory=None, files=None,
                 prefix=(), meshes=False):
        if not BINARY.exists():
            raise StartFailure(f"{BINARY} is missing: ./dev build makes it, or set TWEED_BINARY")
        self.folder = Path(tempfile.mkdtemp(prefix="tweed-test-"))
        self.log_path = self.folder / "log"
        self.port_file = self.folder / "port.json"
        self.command = [str(BINARY), "serve", str(scene), "--listen", listen, "--port-file", str(self.port_file)]
        self.command += (["--paused"] if paused else []) + [str(option) for option in options]
        self.command += ["--log-time", "none"] if "--log-time" not in options else []
        self.command += light_assets() if SANITIZED else []
        self.command += ["--scripts", str(BARE)] if scene == WAKE and not meshes else []
        self.command += ["--http", "127.0.0.1:0"] if "--http" not in options and "--no-http" not in options else []
        if files:  # the most that it may have open
            self.command = ["prlimit", f"--nofile={files}", *self.command]
        self.command = [*prefix, *self.command]  # a command that runs it
        self.clients, self.ports = [], {}
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            cwd=directory)
        try:
            self.ports = self._wait_for_ports()
        except BaseException:
            self.kill()
            raise
        self.address = ("127.0.0.1", self.ports["tcp"])
        recorder.add_server(self.ports)

    def _wait_for_ports(self):
        deadline = time.monotonic() + 60 * PATIENCE
        while not self.port_file.exists():
            if self.process.poll() is not None:
                raise StartFailure(f"status {self.process.returncode}: {' '.join(self.command)}", self.log())
            if time.monotonic() > deadline:
                raise StartFailure(f"no port file: {' '.join(self.command)}", self.log())
            time.sleep(0.01)
        return json.loads(self.port_file.read_text())

    def client(self, **options):
        client = Client(self.address, **options)
        self.clients.append(client)
        return client

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def wait_for_log(self, text, timeout=5.0):
        wait_until(lambda: text in self.log(), timeout, lambda: f"no {text!r} in the log:\n{self.log()}")

    def resident_bytes(self):
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def stop(self, with_signal=signal.SIGTERM, timeout=10.0):
        """Ends the server; gives its exit status and the seconds it took."""
        begin = time.monotonic()
        self.process.send_signal(with_signal)
        status = self.process.wait(timeout * PATIENCE)
        return status, time.monotonic() - begin

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        recorder.remove_server(self.ports)
        for client in self.clients:
            client.close()
        self.final_log = self.log()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


def wait_until(condition, timeout=30.0, report=lambda: "it never came"):
    """Waits for a condition to be true, and gives its value. report: a function that says what there is instead."""
    deadline = time.monotonic() + timeout * PATIENCE
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(report())
        time.sleep(0.01)
    return value


def run(*arguments, timeout=60.0, **options):
    """Runs the binary to its end; stdout and stderr as text. With --listen, HTTP takes a free port unless told."""
    arguments += ("--http", "127.0.0.1:0") if "serve" in arguments and "--listen" in arguments and \
        "--http" not in arguments else ()
    return subprocess.run([str(BINARY), *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="surrogateescape", timeout=timeout * PATIENCE, **options)
