"""Slow, broken and many clients: nobody delays another, and memory stays bounded."""
import json
import random
import threading
import time

import pytest
from harness import PATIENCE, Client, Closed, RpcError


class Reader(threading.Thread):
    """Reads a stream of its own until the end, keeping the ticks that came."""

    def __init__(self, server, **view):
        super().__init__(daemon=True)
        self.client = server.client()
        self.client.subscribe(static=False, **view)
        self.ticks = []

    def run(self):
        try:
            while True:
                message = self.client.read()
                if message.get("method") == "stream.frame":
                    self.ticks.append(message["params"]["tick"])
        except (Closed, OSError, TimeoutError):
            pass


def client_ids(client):
    return {entry["id"] for entry in client.request("server.stats")["clients"]}


def test_stopped_readers_go_good_ones_lose_nothing_and_memory_stays(start):
    server = start(paused=False)
    watcher = server.client()
    bones = ["Hips", "Head"]
    readers = [Reader(server, bones=bones) for _ in range(20)]
    for reader in readers:
        reader.start()
    time.sleep(0.5)
    memory = server.resident_bytes()
    stopped = [server.client(receive_buffer=4096) for _ in range(5)]
    for client in stopped:
        client.subscribe(bones=bones, static=False)
    begin = time.monotonic()
    while len(client_ids(watcher)) > 21 and time.monotonic() - begin < 20 * PATIENCE:
        time.sleep(0.1)
    gone_after = time.monotonic() - begin
    time.sleep(max(0, 10 - gone_after))
    growth = server.resident_bytes() - memory
    stats = watcher.request("server.stats")
    for reader in readers:
        reader.client.socket.close()
    assert len(stats["clients"]) == 21, "the stopped ones are gone, the good ones are not"
    assert gone_after <= 12 * PATIENCE, f"{gone_after:.1f} s: 5 s after the socket was full"
    assert growth < 10e6 * PATIENCE, f"{growth / 1e6:.1f} MB"
    for reader in readers:
        assert reader.ticks == list(range(reader.ticks[0], reader.ticks[-1] + 1)), "a good reader lost frames"
    for client in stopped:
        with pytest.raises((Closed, ConnectionError)):
            while True:
                client.read_line(timeout=2)


def test_a_reader_that_falls_behind_gets_the_newest(start):
    server = start(paused=False)
    client = server.client(receive_buffer=4096)
    client.subscribe(particles=True, precision=7, static=False)
    time.sleep(2)
    ticks = []
    begin = time.monotonic()
    while time.monotonic() - begin < 2:
        message = client.read()
        if message.get("method") == "stream.frame":
            ticks.append(message["params"]["tick"])
    assert ticks == sorted(set(ticks)), "in order, none twice"
    assert max(b - a for a, b in zip(ticks, ticks[1:])) > 30, "what it could not read was skipped"
    now = client.request("session.ping")["tick"]
    assert now - ticks[-1] < 60, "and what it reads is fresh"
    me = client.request("server.stats")["clients"][0]
    assert me["frames_skipped"] > 30 and me["frames_sent"] >= len(ticks)


def test_one_connection_too_many_is_told_and_closed(start):
    server = start()
    clients = [server.client() for _ in range(256)]
    extra = Client(server.address, read_hello=False)
    reply = extra.read()
    assert (reply["error"]["code"], reply["id"]) == (-32003, None)
    with pytest.raises(Closed):
        extra.read()
    clients[0].close()
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            server.client()
            break
        except (AssertionError, Closed):
            time.sleep(0.05)
    else:
        pytest.fail("no room after one had left")
    assert clients[1].request("session.ping")["tick"] == 0


def test_a_flood_of_connects_harms_nobody(start):
    server = start(paused=False)
    good = Reader(server, bones=["Hips"])
    good.start()
    memory = server.resident_bytes()
    for _ in range(20):
        flood = []
        for _ in range(100):
            try:
                flood.append(Client(server.address, read_hello=False))
            except ConnectionError:
                pass
        for client in flood:
            client.close()
    time.sleep(0.5)
    assert server.client().request("session.ping")["tick"] > 0
    assert server.resident_bytes() - memory < 10e6 * PATIENCE
    good.client.socket.close()
    assert len(good.ticks) == good.ticks[-1] - good.ticks[0] + 1


def test_a_flood_of_requests_delays_nobody(start):
    server = start(paused=False)
    flooder, good = server.client(), server.client()
    burst = b'{"jsonrpc":"2.0","id":1,"method":"session.ping"}\n' * 5000
    worst = 0.0
    sender = threading.Thread(target=lambda: flooder.send_bytes(burst), daemon=True)
    sender.start()
    for _ in range(20):
        begin = time.monotonic()
        good.request("session.ping")
        worst = max(worst, time.monotonic() - begin)
    assert worst < 0.5 * PATIENCE
    for _ in range(5000):
        assert json.loads(flooder.read_line())["id"] == 1
    sender.join(5)


def test_who_sends_but_never_reads_is_not_read_from(start):
    server = start()
    memory = server.resident_bytes()
    deaf = server.client(receive_buffer=4096)
    deaf.socket.settimeout(0.5)
    request = b'{"jsonrpc":"2.0","id":1,"method":"character.describe","params":{"character":"alan"}}\n'
    sent = 0
    begin = time.monotonic()
    try:
        while time.monotonic() - begin < 4:
            deaf.send_bytes(request * 50)
            sent += 50
    except (TimeoutError, ConnectionError):
        pass
    assert server.client().request("session.ping")["tick"] == 0
    assert server.resident_bytes() - memory < 30e6 * PATIENCE, sent


def test_a_dead_client_leaves_no_trace(server, client):
    for number in range(20):
        with server.client() as guest:
            guest.subscribe(bones=[f"x{number}"])
            guest.start("simulation.pause")
    deadline = time.monotonic() + 5
    while len(client_ids(client)) > 1 and time.monotonic() < deadline:
        time.sleep(0.02)
    stats = client.request("server.stats")
    assert len(stats["clients"]) == 1 and stats["holds"] == 1


def test_nothing_is_half_applied_when_the_client_dies_in_the_middle(server, client):
    with server.client() as guest:
        guest.send_bytes(b'{"jsonrpc":"2.0","id":1,"method":"world.set","params":{"gravity":[0,-1,0]}')
    time.sleep(0.2)
    assert client.request("world.get")["gravity"][1] == pytest.approx(-9.81)


def test_a_random_stream_of_bytes_is_survived(server):
    chance = random.Random(7)
    for round_number in range(30):
        guest = server.client()
        data = bytes(chance.choice(b'{}[]":,\n\\ \x00\xff0123456789abcdefjsonrpcmethod') for _ in range(3000))
        try:
            guest.send_bytes(data)
            guest.send_bytes(b"\n")
            guest.request("session.ping", id=round_number)
        except (RpcError, AssertionError, Closed, ConnectionError):
            pass
        guest.close()
    assert server.client().request("session.ping")["tick"] == 0
