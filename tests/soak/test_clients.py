"""What takes minutes to show: no drift, a crowd of readers in real time, thousands of connections, many ends.

./dev soak clients runs it. Times are judged here: on a machine that has nothing else to do.
"""
import re
import selectors
import signal
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "integration"))
from harness import Client, Closed, Server  # noqa: E402

SECONDS = 60
TWO_BONES = {"bones": ["Hips", "Head"], "static": False}
TICK = re.compile(rb'"method":"stream\.frame".*?"tick":(\d+)')


def clock(client):
    """Ticks that were simulated or skipped, and the seconds they took."""
    stats = client.request("server.stats")
    return stats["tick"] + stats["ticks_skipped"], stats["uptime"]


def test_no_drift():
    """Each reading may be one tick off: it comes before or after the tick that is due."""
    rates = (60, 120)
    servers = [Server("--rate", rate, paused=False) for rate in rates]
    clients = [server.client() for server in servers]
    time.sleep(1)
    begin = [clock(client) for client in clients]
    time.sleep(SECONDS)
    for rate, client, (first, start) in zip(rates, clients, begin):
        last, end = clock(client)
        assert abs((last - first) - (end - start) * rate) <= 2
    for server in servers:
        server.kill()


def read_for(seconds, clients):
    """The ticks of the frames that each got."""
    ticks, rest = [[] for _ in clients], [bytes(client.buffer) for client in clients]
    with selectors.DefaultSelector() as selector:
        for number, client in enumerate(clients):
            selector.register(client.socket, selectors.EVENT_READ, number)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for key, _ in selector.select(0.1):
                *lines, rest[key.data] = (rest[key.data] + key.fileobj.recv(1 << 16)).split(b"\n")
                ticks[key.data] += [int(found[1]) for line in lines if (found := TICK.search(line))]
    return ticks


def test_fifty_good_readers_lose_nothing_to_ten_stopped_ones():
    with Server(paused=False) as server, Server(paused=False) as alone:
        watcher = server.client(timeout=30.0)
        watcher.request("session.open", client="watcher")
        good = [server.client() for _ in range(50)]
        for client in good:
            client.subscribe(**TWO_BONES)
        stopped = [server.client(receive_buffer=4096) for _ in range(10)]
        for client in stopped:
            client.request("session.open", client="stopped")
            client.subscribe(**TWO_BONES)
        memory = server.resident_bytes()
        for ticks in read_for(SECONDS, good):
            assert ticks == list(range(ticks[0], ticks[-1] + 1)) and len(ticks) > 0.9 * 60 * SECONDS
        assert server.resident_bytes() - memory < 10e6
        stats = watcher.request("server.stats")
        assert not [entry for entry in stats["clients"] if entry["client"] == "stopped"]
        late, usual = stats["lateness_ms"], alone.client().request("server.stats")["lateness_ms"]
        assert late["p50"] < usual["p50"] + 1 and late["p95"] < 2 * usual["p95"] + 2, (late, usual)


def test_fifteen_thousand_connects():
    with Server(paused=False) as server:
        client = server.client()
        memory = None
        for number in range(15_000):
            try:
                Client(server.address, read_hello=False).close()
            except ConnectionError:
                pass
            if number == 1000:
                memory = server.resident_bytes()
        assert server.resident_bytes() - memory < 4e6
        deadline = time.monotonic() + 10
        while len(client.request("server.stats")["clients"]) > 1:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert "error" not in server.log()


@pytest.mark.parametrize("slow, cycles, most", [(False, 50, 1.0), (True, 30, 3.0)])
def test_it_ends_in_time(slow, cycles, most):
    for number in range(cycles):
        with Server(paused=False) as server:
            client = server.client(receive_buffer=4096 if slow else None)
            client.subscribe(**({"particles": True, "precision": 7} if slow else TWO_BONES))
            time.sleep(0.3 if slow else 0.02 * (number % 5))
            status, seconds = server.stop(signal.SIGTERM)
            assert status == 0 and seconds <= most, server.log()
            with pytest.raises((Closed, ConnectionError)):
                while True:
                    client.read_line()
