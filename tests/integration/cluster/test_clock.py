"""One clock and one air for all nodes: equal ticks at the same time, whoever joins, dies or stands still."""
import math
import signal
import statistics
import subprocess
import threading
import time

import pytest
from brokers import owners
from harness import PATIENCE, SANITIZED, Closed

# Sanitizers make ticks late: what clocks show then says nothing.
pytestmark = [pytest.mark.alone, pytest.mark.skipif(SANITIZED, reason="sanitizers make ticks late")]

# Ticks of one number are simulated within so much of each other: what README.md of the cluster states.
BOUND_MS = 2.0 * PATIENCE


class Watch(threading.Thread):
    """When each tick's frame of a character comes from its own node."""

    def __init__(self, client, character):
        super().__init__(daemon=True)
        self.client, self.seen, self.over = client, {}, False
        client.subscribe(characters=[character], bones=["Hips"], static=False, redirect=True,
                         policy="queue")
        self.start()

    def run(self):
        try:
            while not self.over:
                self.seen[self.client.event("stream.frame")["tick"]] = time.monotonic()
        except (Closed, OSError):  # the server has ended
            pass

    def finish(self):
        self.over = True
        self.join()
        return self.seen


def apart(watches):
    """How many ms later than the first the other nodes' frames of one tick come, at the median of the last second."""
    first, *others = (watch.seen for watch in watches)
    for times in others:
        both = sorted(first.copy().keys() & times.copy().keys())[-60:]
        yield 1000 * statistics.median(times[tick] - first[tick] for tick in both) if both else math.inf


def together(cluster, watches):
    """Waits until all nodes have simulated equal ticks at one time for a second; a busy machine delays that."""
    def are_close():
        time.sleep(1.0)
        return max(map(abs, apart(watches))) < BOUND_MS

    cluster.wait_until(are_close, timeout=40)


def status(client, node):
    """What the node says of itself; of one that is not there that it is far behind."""
    return next((entry for entry in client.request("server.describe", cluster=True)["cluster"]["nodes"]
                 if entry["node"] == node), {"ticks_behind": 1000})


def guests(clients):
    for node in "abc"[:len(clients)]:
        clients[0].request("character.spawn", script="characters/wake", name=f"of {node}", node=node)


def test_equal_ticks_are_simulated_at_one_time(cluster):
    servers, clients = cluster.of("a", "b", "c")
    guests(clients)
    watches = [Watch(server.client(), f"of {node}") for server, node in zip(servers, "abc")]
    together(cluster, watches)
    cluster.wait_until(lambda: [status(clients[2], node).get("reference") for node in "abc"] == ["a"] * 3)
    errors = [status(clients[2], node)["clock_error_ms"] for node in "abc"]
    assert errors[0] == 0 and all(0 < error < 10 * PATIENCE for error in errors[1:])


def test_a_node_that_joins_goes_on_at_the_clusters_tick(cluster):
    first = cluster.start("a").client()
    time.sleep(1.0)
    late = cluster.start("b")
    late.wait_for_log("the cluster's")
    second = late.client()
    assert abs(second.hello["tick"] - first.request("session.ping")["tick"]) < 30 * PATIENCE
    cluster.wait_until(lambda: status(first, "b")["ticks_behind"] == 0 == status(first, "a")["ticks_behind"])


def assert_no_jump(watch):
    """A stream's ticks grow by one: none is repeated or left out."""
    seen = list(watch.finish())
    assert seen == list(range(seen[0], seen[0] + len(seen))), [(a, b) for a, b in zip(seen, seen[1:]) if b != a + 1]


def test_a_reference_that_dies_makes_no_clock_jump(cluster):
    servers, clients = cluster.of("a", "b", "c")
    guests(clients)
    watches = [Watch(servers[i].client(), f"of {'abc'[i]}") for i in (1, 2)]
    together(cluster, watches)
    servers[0].process.kill()
    cluster.wait_until(lambda: [status(clients[1], node).get("reference") for node in "bc"] == ["b"] * 2)
    together(cluster, watches)
    for watch in watches:
        assert_no_jump(watch)


def test_a_node_that_stood_still_makes_up_for_it_slowly(cluster):
    servers, clients = cluster.of("a", "b")
    guests(clients)
    watches = [Watch(server.client(), f"of {node}") for server, node in zip(servers, "ab")]
    together(cluster, watches)
    servers[1].process.send_signal(signal.SIGSTOP)
    time.sleep(0.6)
    servers[1].process.send_signal(signal.SIGCONT)
    cluster.wait_until(lambda: 5 < status(clients[0], "b")["ticks_behind"] < 60)
    together(cluster, watches)
    assert_no_jump(watches[1])
    assert owners(clients[0])["of b"] == "b"


def test_a_node_that_has_lost_its_characters_goes_on_at_the_clusters_tick(cluster):
    servers, clients = cluster.of("a", "b")
    servers[0].process.send_signal(signal.SIGSTOP)
    cluster.wait_until(lambda: owners(clients[1]) == {"alan": "b"})
    time.sleep(1.0)
    servers[0].process.send_signal(signal.SIGCONT)
    servers[0].wait_for_log("the cluster's")
    cluster.wait_until(lambda: abs(status(clients[1], "a")["ticks_behind"]) < 2)


def test_clocks_run_on_without_a_broker(cluster):
    servers, clients = cluster.of("a", "b")
    guests(clients)
    watches = [Watch(server.client(), f"of {node}") for server, node in zip(servers, "ab")]
    together(cluster, watches)
    cluster.broker.kill()
    time.sleep(2.0)
    together(cluster, watches)
    cluster.broker.start()
    cluster.wait_until(lambda: clients[0].request("server.describe", cluster=True)["cluster"]["connected"])
    time.sleep(1.5)
    together(cluster, watches)
    for watch in watches:
        assert_no_jump(watch)


def test_machines_whose_clocks_begin_elsewhere(cluster):
    """As on another machine: the second node's monotonic clock is 1,000 s ahead, in a time namespace."""
    try:
        subprocess.run(["unshare", "--time", "--monotonic", "1000", "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no time namespaces here")
    cluster.start("a")
    ahead = cluster.start("b", prefix=["unshare", "--time", "--monotonic", "1000", "--fork", "--kill-child"])
    clients = [server.client() for server in cluster.servers]
    clocks = [client.request("session.ping")["monotonic"] for client in clients]
    assert 990 < clocks[1] - clocks[0] < 1010 + 10 * PATIENCE
    cluster.wait_until(lambda: cluster.nodes(clients[0]) == ["a", "b"] == cluster.nodes(clients[1]))
    guests(clients)
    watches = [Watch(server.client(), f"of {node}") for server, node in zip(cluster.servers, "ab")]
    together(cluster, watches)
    ahead.process.terminate()
