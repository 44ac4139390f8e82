"""Slow and stopped readers among others that read: everyone gets what it can take, nobody waits for another.

Where time would come in, ticks are stepped and bytes are counted, so that a slow machine is no failure.
"""
import hashlib
import json
import socket
import time

import pytest
from harness import PATIENCE, QUARANTINE, Closed

CHARACTERS, BONES = 50, 10
HEALTHY = STALLED = 32
TWO_BONES = {"bones": ["bone_0", "bone_1"], "static": False}
BYTES_A_TICK = 50_000 // 60  # of a reader at 50 KB/s
ROUNDS = 3  # in which it sees everybody
LONGEST_WAIT = 60 * PATIENCE  # s, for what takes the server 5 s
MOST_AT_ONCE = 16384  # bytes the server takes at a time; one message more goes beyond it

POST = """local tweed = require "tweed"
local bones = { { name = "bone_0" } }
for i = 1, %d do bones[i + 1] = { name = "bone_" .. i, parent = "bone_" .. i - 1, position = { 0, 0.1, 0 } } end
return tweed.character {
  skeleton = tweed.skeleton(bones),
  clips = { wander = tweed.clip { duration = 7, sample = function(t)
    return { root = { x = math.sin(0.9 * t), z = t, heading = 0.3 * t } }
  end } },
  on_spawn = function(self) self:play("wander", { loop = true, at = self.position and self.position[1] or 0 }) end,
}
""" % (BONES - 1)


@pytest.fixture
def crowd(tmp_path):
    """A scene of many posts that wander."""
    (tmp_path / "post.lua").write_text(POST)
    spawns = ", ".join(f'{{ script = "post", name = "post_{i:02}", position = {{ {i}, 0, 0 }} }}'
                       for i in range(CHARACTERS))
    scene = tmp_path / "crowd.lua"
    scene.write_text(f'local tweed = require "tweed"\nreturn tweed.scene {{ spawn = {{ {spawns} }} }}\n')
    return scene


class Healthy:
    """Reads what each tick brings before the next one, and keeps a digest of it."""

    def __init__(self, server):
        self.client = server.client()
        self.client.request("session.open", events=False)
        self.client.subscribe(**TWO_BONES)
        self.digest = hashlib.sha256()
        self.take(2 * CHARACTERS)  # static data and the first frames

    def take(self, lines):
        """Exactly so many: what is more comes later, and spoils the digest."""
        for _ in range(lines):
            self.digest.update(self.client.read_line() + b"\n")


class Slow:
    """Reads so many bytes a tick, and takes the frames apart."""

    def __init__(self, server):
        self.client = server.client(receive_buffer=4096)
        self.client.request("session.open", events=False, client="slow")
        self.client.subscribe(static=False)
        self.client.socket.setblocking(False)
        self.pending = bytes(self.client.buffer)
        self.total = 0
        self.read_until_tick = {}  # bytes read before each tick
        self.frames = []  # character, tick, bytes read since that tick

    def take(self, most, tick=None):
        """False: there is nothing."""
        if tick is not None:
            self.read_until_tick[tick] = self.total
        try:
            data = self.client.socket.recv(most)
        except BlockingIOError:
            return False
        assert data, "closed"
        self.total += len(data)
        *lines, self.pending = (self.pending + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if message["method"] == "stream.frame":
                frame = message["params"]
                age = self.total - self.read_until_tick.get(frame["tick"], 0)
                self.frames.append((frame["character"], frame["tick"], age))
        return True

    def finish(self, tick):
        """Reads all that waits: at last everybody's newest frame."""
        deadline = time.monotonic() + LONGEST_WAIT
        while sum(of == tick for _, of, _ in self.frames) < CHARACTERS:
            assert time.monotonic() < deadline, "the newest frames did not come"
            if not self.take(65536):
                time.sleep(0.001)


def stop_reading(server):
    client = server.client(receive_buffer=4096)
    client.request("session.open", client="stopped")
    client.subscribe(**TWO_BONES)
    return client


def clients_called(stepper, name):
    return [entry for entry in stepper.request("server.stats")["clients"] if entry["client"] == name]


def step(stepper, healthy):
    tick = stepper.request("simulation.step", ticks=1)["tick"]
    for reader in healthy:
        reader.take(CHARACTERS)
    return tick


@pytest.mark.alone
def test_slow_and_stopped_readers_take_nothing_from_the_healthy(start, crowd):
    alone = start(scene=crowd)
    lone_stepper, lone = alone.client(), Healthy(alone)
    server = start(scene=crowd)
    stepper, healthy = server.client(), [Healthy(server) for _ in range(HEALTHY)]
    slow = Slow(server)
    memory = server.resident_bytes()
    begin = time.monotonic()
    stopped = [stop_reading(server) for _ in range(STALLED)]

    tick, queued, left = 0, 0, STALLED
    while left > 0 or len(slow.frames) < ROUNDS * CHARACTERS:
        assert time.monotonic() - begin < LONGEST_WAIT, f"{left} stopped readers, {len(slow.frames)} slow frames"
        tick = step(stepper, healthy)
        step(lone_stepper, [lone])
        slow.take(BYTES_A_TICK, tick)
        if tick % 10 == 0:
            entries = clients_called(stepper, "stopped") + clients_called(stepper, "slow")
            queued = max(queued, *(entry["queued_bytes"] for entry in entries))
            left = len(entries) - 1
            if left < STALLED:
                assert time.monotonic() - begin > 5, "it is closed when it has taken nothing for 5 s, not before"

    assert {reader.digest.digest() for reader in healthy} == {lone.digest.digest()}, "a healthy reader is disturbed"
    assert server.log().count("closed: the peer does not read") == STALLED, server.log()
    growth = server.resident_bytes() - memory
    assert growth < 8e6 + QUARANTINE, f"{growth / 1e6:.1f} MB"
    assert 0 < queued <= 2 * MOST_AT_ONCE, "no more is kept for a reader than one write"

    names = [f"post_{i:02}" for i in range(CHARACTERS)]
    for (before, _, _), (after, _, _) in zip(slow.frames, slow.frames[1:]):
        assert after == names[(names.index(before) + 1) % CHARACTERS], "it sees everybody in turn"
    assert max(age for _, _, age in slow.frames) < 50_000, "what it reads is one second old at most, at its rate"

    slow.finish(tick)
    ticks = {name: [of for character, of, _ in slow.frames if character == name] for name in names}
    assert all(seen == sorted(set(seen)) for seen in ticks.values()), "in order, none twice"
    missed = sum(seen[-1] - seen[0] + 1 - len(seen) for seen in ticks.values())
    (entry,) = clients_called(stepper, "slow")
    assert (entry["frames_skipped"], entry["frames_sent"]) == (missed, len(slow.frames)) and missed > 100
    for entry in stepper.request("server.stats")["clients"]:
        if entry["client"] != "slow":
            assert entry["frames_skipped"] == 0
    for client in stopped:
        with pytest.raises((Closed, ConnectionError)):
            while True:
                client.read_line(timeout=2 * PATIENCE)
    status, _ = server.stop()
    assert status == 0
