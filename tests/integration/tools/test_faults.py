"""Every allocation may fail, once or from then on, and so may system calls: there is an answer or an orderly end.

TWEED_FAULT_SITES is how many allocations of each request fail by turn, TWEED_FAULT_SEEDS how many runs have failing
system calls; ./dev soak faults has many. A failing run prints where the first failure was.
"""
import json
import mmap
import os
import random
import re
import struct
import subprocess
import time

import pytest
from harness import BINARY, PATIENCE, ROOT, Client, Closed, RpcError

LIBRARY = BINARY.parent.parent / "tests/tweed_faults.so"
SITES = int(os.environ.get("TWEED_FAULT_SITES", 12))
SEEDS = int(os.environ.get("TWEED_FAULT_SEEDS", 3))
LAYOUT = struct.Struct("IIqQQQi4x")
NONE, ONCE, FOREVER = 0, 1, 2

pytestmark = pytest.mark.skipif(not LIBRARY.exists() or os.environ.get("TWEED_PRESET", "release") != "release",
                                reason="a sanitizer has its own allocator")

BANNER = """local tweed = require "tweed"
local points = {}
for row = 0, 3 do
  for column = 0, 4 do points[#points + 1] = { (column - 2) * .06, 1 - row * .06, 0 } end
end
return tweed.character {
  skeleton = tweed.skeleton { { name = "pole", position = {0, 1, 0} } },
  garments = { tweed.cloth { name = "banner", fabric = "silk", rows = 4, columns = 5, positions = points,
                             attach = "pole", max_distance = { top = 0, bottom = .2 }, bones = { prefix = "banner_" } } },
  clips = { sway = tweed.clip { duration = 2, sample = function(t)
    return { pole = { rotation = { 0, math.sin(.2 * t), 0, math.cos(.2 * t) } } }
  end } },
  commands = { wave = { run = function(self, arguments) return { waved = arguments.times or 1 } end } },
  on_spawn = function(self) self:play("sway", { loop = true }) end,
}
"""
SCENE = 'return require "tweed".scene { spawn = { { script = "characters/banner", name = "alan" } } }\n'


class Faults:
    """What the library and this test share."""

    def __init__(self, path):
        self.path = path
        path.write_bytes(LAYOUT.pack(NONE, 0, 0, 0, 0, 0, -1))
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), LAYOUT.size)

    def arm(self, mode=NONE, countdown=0, calls=0, seed=0, threads=-1):
        self.disarm()
        os.truncate(self.path, LAYOUT.size)
        LAYOUT.pack_into(self.memory, 0, NONE, 0, countdown, 0, 0, seed, threads)
        struct.pack_into("II", self.memory, 0, mode, calls)

    def disarm(self):
        struct.pack_into("II", self.memory, 0, NONE, 0)

    @property
    def allocations(self):
        return LAYOUT.unpack_from(self.memory)[3]

    @property
    def failed(self):
        return LAYOUT.unpack_from(self.memory)[4]

    def places(self):
        """Where the first failure was, innermost first."""
        frames = re.findall(r"([^\n]+)\(.*\+(0x[0-9a-f]+)\)\[", self.path.read_bytes()[LAYOUT.size:].decode())
        own = [address for module, address in frames if module == str(BINARY)]
        found = subprocess.run(["addr2line", "-fse", BINARY, *own], stdout=subprocess.PIPE, text=True).stdout.split()
        return " < ".join(found[::2])


class Stage:
    """A server of one banner, under the library; and a client that comes back when it is disconnected."""

    def __init__(self, folder):
        self.faults = Faults(folder / "faults")
        self.folder, self.client, self.process = folder, None, None
        for name in ("characters", "fabrics", "scenes"):
            (folder / name).mkdir()
        (folder / "characters/banner.lua").write_text(BANNER)
        (folder / "scenes/stage.lua").write_text(SCENE)
        (folder / "fabrics/linen.lua").write_text('return require "tweed".fabric { name = "linen", base = "silk" }\n')

    def begin(self):
        port_file = self.folder / "ports"
        port_file.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [BINARY, "serve", self.folder / "scenes/stage.lua", "--listen", "127.0.0.1:0", "--no-http", "--paused", "--threads",
             "2", "--scripts", self.folder, "--allow-save", "--log-time", "none", "--port-file", port_file], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=open(self.folder / "log", "wb"),
            env={**os.environ, "LD_PRELOAD": str(LIBRARY), "TWEED_FAULTS": str(self.folder / "faults")})
        deadline = time.monotonic() + 20 * PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"it neither starts nor ends: {self.log()}"
            if port_file.exists() and port_file.read_bytes().endswith(b"\n"):
                self.address = ("127.0.0.1", json.loads(port_file.read_text())["tcp"])
                return True
            time.sleep(0.002)
        return False

    def log(self):
        return (self.folder / "log").read_text(errors="replace")

    def connect(self):
        deadline = time.monotonic() + 10 * PATIENCE
        while not self.client:
            try:
                self.client = Client(self.address, timeout=5 * PATIENCE)
            except (OSError, Closed):
                assert self.process.poll() is None and time.monotonic() < deadline, self.told()
                time.sleep(0.02)
        return self.client

    def disconnect(self):
        if self.client:
            self.client.close()
        self.client = None

    def ask(self, method, **params):
        """The result, an error, or None where the connection was closed."""
        try:
            return self.connect().request(method, **params)
        except RpcError as error:
            return error
        except (Closed, ConnectionError):
            self.disconnect()
            return None
        except TimeoutError:
            raise AssertionError(f"{method} is not answered: {self.told()}") from None

    def told(self):
        return f"status {self.process.poll()}, failures {self.faults.failed} from {self.faults.places()}: {self.log()[-2000:]}"

    def names(self):
        return [entry["name"] for entry in self.ask("character.list")]

    def end(self):
        self.disconnect()
        self.process.terminate()
        status = self.process.wait(10 * PATIENCE)
        assert status == 0, self.told()

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.disconnect()


@pytest.fixture
def stage(tmp_path):
    made = Stage(tmp_path)
    yield made
    made.kill()


def spawn(stage):
    stage.ask("character.spawn", script="characters/banner", name="guest")


def subscribe(stage):
    stage.view = stage.ask("stream.subscribe", layout="trs")["view"]


ALAN = {"character": "alan"}
TORNADO = {"name": "storm", "position": [3, 0, 0], "radius": 1, "strength": 5, "lift": 2}
REQUESTS = {  # parameters, and what is done before each try
    "session.open": ({"protocol": 1, "client": "faults"}, None),
    "session.ping": ({}, None),
    "server.describe": ({}, None),
    "server.stats": ({}, None),
    "session.look": ({"position": [0, 1, 4]}, None),
    "character.list": ({}, None),
    "character.describe": ({**ALAN, "mesh": True, "axes": "blender"}, None),
    "character.spawn": ({"script": "characters/banner", "name": "guest", "params": {"size": [1, {"a": "b"}]}}, None),
    "character.remove": ({"character": "guest"}, spawn),
    "character.reset": (ALAN, None),
    "character.move": ({**ALAN, "position": [1, 0, 0]}, None),
    "character.level": ({**ALAN, "level": "reduced"}, None),
    "character.pose": ({**ALAN, "space": "parent", "bones": {"pole": {"rotation": [0, 0, 0, 1]}}}, None),
    "character.release": (ALAN, None),
    "character.play": ({**ALAN, "clip": "sway"}, None),
    "character.stop": (ALAN, None),
    "character.call": ({**ALAN, "command": "wave", "arguments": {"times": 3}}, None),
    "fabric.list": ({}, None),
    "fabric.get": ({"fabric": "silk"}, None),
    "fabric.set": ({**ALAN, "garment": "banner", "values": {"damping": 2, "edge": {"wind": 1.5}}}, None),
    "fabric.export": ({"fabric": "silk"}, None),
    "fabric.save": ({"fabric": "linen"}, None),
    "world.get": ({}, None),
    "world.set": ({"wind": {"velocity": [1, 0, 0]}}, None),
    "world.tornado": (TORNADO, None),
    "world.calm": ({"name": "storm"}, lambda stage: stage.ask("world.tornado", **TORNADO)),
    "simulation.pause": ({}, None),
    "simulation.step": ({"ticks": 3}, subscribe),
    "script.list": ({}, None),
    "script.reload": ({}, None),
    "stream.subscribe": ({"particles": True, "wrinkles": True, "references": True, "policy": "queue"}, None),
    "stream.unsubscribe": ({}, subscribe),
}
# There is no seam and no cluster; a server that runs allocates by itself.
UNTRIED = {"cluster.drain", "cluster.move", "seam.list", "seam.set", "simulation.resume"}


def test_all_methods_are_tried():
    methods = {method["name"] for method in json.loads((ROOT / "protocol/openrpc.json").read_text())["methods"]}
    assert methods == set(REQUESTS) | UNTRIED


def prepare(stage, method):
    """The parameters, once the stage is as before the first try."""
    params, before = REQUESTS[method]
    if method in ("character.spawn", "character.remove") and "guest" in stage.names():
        stage.ask("character.remove", character="guest")
    if method in ("stream.subscribe", "simulation.step", "stream.unsubscribe"):
        stage.disconnect()
    stage.connect()
    if before:
        before(stage)
    return {"view": stage.view} if method == "stream.unsubscribe" else params


def attempt(stage, method, mode, countdown):
    params = prepare(stage, method)
    names = stage.names()
    stage.faults.arm(mode, countdown)
    result = stage.ask(method, **params)
    stage.faults.disarm()
    assert stage.process.poll() is None, f"{method} ends the server: {stage.told()}"
    if isinstance(result, RpcError):
        assert "memory" in result.message, (method, result.message, stage.told())
        assert stage.names() == names, f"{method} is half done: {stage.told()}"
    if result is None or isinstance(result, RpcError):
        stage.ask("script.reload", script="characters/banner")  # it may be suspended
    if result is not None and stage.faults.failed == 0:
        assert not isinstance(result, RpcError), (method, result.message)
    pong = stage.ask("session.ping")
    assert isinstance(pong, dict), f"after {method}: {pong}, {stage.told()}"
    return stage.faults.failed


@pytest.mark.parametrize("method", REQUESTS)
def test_each_allocation_of_a_request_fails_by_turn(stage, method):
    assert stage.begin(), stage.log()
    attempt(stage, method, ONCE, 1 << 40)  # none fails; buffers grow to their size
    attempt(stage, method, ONCE, 1 << 40)
    count = stage.faults.allocations
    chosen = random.Random(method).sample(range(count), min(SITES, count))
    for countdown in sorted(chosen):
        for mode in (ONCE, FOREVER):
            attempt(stage, method, mode, countdown)
    stage.end()


def test_the_start_and_the_end_without_memory(stage):
    stage.faults.arm(ONCE, 1 << 40)
    assert stage.begin()
    started = stage.faults.allocations
    stage.end()
    chance = random.Random(5)
    for mode in (ONCE, FOREVER):
        for countdown in sorted(chance.sample(range(started), SITES)):
            stage.faults.arm(mode, countdown)
            begun = stage.begin()
            stage.faults.disarm()
            if begun:
                assert isinstance(stage.ask("session.ping"), dict), stage.told()
                stage.faults.arm(mode, chance.randrange(40))
                stage.end()
            else:
                assert stage.process.returncode == 1, stage.told()
                assert "memory" in stage.log(), stage.told()


def test_a_running_server_without_memory(stage):
    assert stage.begin(), stage.log()
    stage.ask("simulation.resume")
    chance = random.Random(3)
    for round_of in range(SITES):
        for view in ({"policy": "queue"}, {"layout": "trs", "rate": 30}, {"particles": True, "mesh": True}):
            stage.ask("stream.subscribe", **view)
        stage.faults.arm(chance.choice([ONCE, FOREVER]), chance.randrange(60))
        for method in chance.sample(["character.reset", "character.spawn", "character.remove", "fabric.set", "world.set"], 2):
            result = stage.ask(method, **REQUESTS[method][0]) if stage.client else None
        time.sleep(0.02)
        stage.faults.disarm()
        assert stage.process.poll() is None, f"{method}, {result}: {stage.told()}"
        stage.ask("character.remove", character="guest")
        stage.ask("script.reload", script="characters/banner")
    tick = stage.ask("session.ping")["tick"]
    time.sleep(0.1)
    assert stage.ask("session.ping")["tick"] > tick, stage.told()
    stage.ask("simulation.pause")
    stage.end()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_system_calls_that_fail(stage, seed):
    assert stage.begin()
    chance = random.Random(seed)
    for round_of in range(3):
        stage.faults.arm(calls=chance.choice([200, 1000, 4000]), seed=chance.getrandbits(63))
        for method in chance.sample(sorted(REQUESTS), len(REQUESTS)):
            params, _ = REQUESTS[method]
            stage.ask(method, **({"view": 1} if method == "stream.unsubscribe" else params))
            assert stage.process.poll() is None, f"{method} ends the server: {stage.told()}"
        stage.faults.disarm()
        stage.disconnect()
        assert isinstance(stage.ask("session.ping"), dict), stage.told()
    stage.end()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_start_with_system_calls_that_fail(stage, seed):
    stage.faults.arm(calls=1000, seed=1000 + seed)
    begun = stage.begin()
    stage.faults.disarm()
    if begun:
        assert isinstance(stage.ask("session.ping"), dict), stage.told()
        stage.end()
    else:
        assert stage.process.returncode == 1 and stage.log(), stage.told()


@pytest.mark.parametrize("threads", range(5))
def test_a_start_without_threads(stage, threads):
    stage.faults.arm(threads=threads)
    if stage.begin():
        assert isinstance(stage.ask("session.ping"), dict), stage.told()
        assert isinstance(stage.ask("simulation.step", ticks=2), dict), stage.told()
        stage.ask("character.spawn", script="characters/banner", name="guest")
        stage.end()
    else:
        assert stage.process.returncode == 1, stage.told()
        assert stage.log() == "error: cannot start 2 threads: resource temporarily unavailable\n"
