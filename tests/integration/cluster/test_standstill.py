"""A node whose process stands still and goes on, and a second process under its name."""
import signal
import time

from brokers import owners
from counter import counters
from harness import PATIENCE, RpcError

NAMES = [f"counter {i}" for i in range(4)]


def counts(client):
    return {name: len(client.request("character.call", character=name, command="look")["result"]["appended"].split())
            for name in NAMES}


def test_a_woken_node_sends_and_serves_nothing_of_characters_that_it_has_lost(cluster, tmp_path):
    servers, clients = counters(cluster, tmp_path)
    frozen, other = clients[1], clients[0]
    direct = servers[1].client()  # sees the frozen node's own frames alone
    for name in NAMES:
        other.request("character.spawn", script="characters/counter", name=name, node="b")
    cluster.wait_until(lambda: all("saved" in cluster.broker.state(name) for name in NAMES))
    direct.subscribe(characters=["counter*"], bones=["Hips"], static=False, redirect=True)
    direct.event("stream.frame")
    servers[1].process.send_signal(signal.SIGSTOP)
    cluster.wait_until(lambda: all(owners(other).get(name, "b") != "b" for name in NAMES))
    direct.drain()
    direct.kept.clear()
    servers[1].process.send_signal(signal.SIGCONT)
    served = dict.fromkeys(NAMES, 0)
    until = time.monotonic() + 0.6 * PATIENCE
    while time.monotonic() < until:
        for name in NAMES:
            try:
                frozen.request("character.call", character=name, command="append", arguments={"name": "n", "number": 0})
                served[name] += 1
            except RpcError as error:
                assert error.code == -32003, error
    assert min(served.values()) > 0
    assert counts(other) == served, "what was answered has taken effect"
    direct.drain()
    assert not [message["params"]["tick"] for message in direct.kept if message["method"] == "stream.frame"]


def test_a_node_that_stood_still_keeps_what_nobody_has_taken(cluster, tmp_path):
    servers, clients = counters(cluster, tmp_path)
    servers[0].process.send_signal(signal.SIGSTOP)
    time.sleep(0.8)  # more than a standstill, less than others wait for
    servers[0].process.send_signal(signal.SIGCONT)
    servers[0].wait_for_log("this node stood still: it asks whether its characters are still its own")
    for i in range(5):
        cluster.eventually(clients[0], "character.call", character="alan", command="append",
                           arguments={"name": "n", "number": i})
    owner = owners(clients[0])["alan"]
    assert clients["abc".index(owner)].request("character.call", character="alan", command="look")["result"][
        "appended"].split() == [f"n{i}" for i in range(5)]


def test_a_woken_node_of_a_paused_cluster_serves_nothing_before_it_knows_what_is_its_own(cluster, tmp_path):
    """While paused, commands and questions are served as soon as they are read, not between ticks."""
    servers, clients = counters(cluster, tmp_path)
    mover, lister = clients[0], servers[0].client()
    clients[1].request("simulation.pause")
    servers[0].process.send_signal(signal.SIGSTOP)
    moved = mover.start("character.move", character="alan", position=[5, 0, 0])
    listed = lister.start("character.list")
    cluster.wait_until(lambda: owners(clients[1]).get("alan", "a") != "a", timeout=15)
    node = owners(clients[1])["alan"]
    servers[0].process.send_signal(signal.SIGCONT)
    assert {entry["name"]: entry["node"] for entry in lister.finish(listed)} == {"alan": node}
    expected = 5
    try:
        mover.finish(moved)
    except RpcError as error:
        assert error.code == -32003, error
        expected = 0
    owner = clients["abc".index(node)]
    owner.subscribe(bones=["Hips"], layout="trs", static=False)
    cluster.eventually(owner, "simulation.step", ticks=1)
    assert owner.take("stream.frame")[-1]["bones"][0][0] == expected, "what was answered has taken effect"


def test_a_process_ends_whose_name_another_one_has_taken(cluster):
    """A paused machine goes on while its replacement runs."""
    servers, clients = cluster.of("a", "b")
    servers[0].process.send_signal(signal.SIGSTOP)
    cluster.wait_until(lambda: cluster.nodes(clients[1]) == ["b"])
    second = cluster.start("a")
    successor = second.client()
    successor.request("character.spawn", script="characters/wake", name="barry", node="a")
    servers[0].process.send_signal(signal.SIGCONT)
    assert servers[0].process.wait(10 * PATIENCE) == 1
    assert "error: another process is node a of cluster tweed now: this one ends" in servers[0].log()
    cluster.wait_until(lambda: owners(clients[1]).get("barry") == "a")
    assert clients[1].request("character.play", character="barry", clip="walk")["tick"] > 0
    for name in ("one", "two"):
        clients[1].request("character.spawn", script="characters/wake", name=name, node="a")
    assert second.process.poll() is None and set(owners(successor)) == {"alan", "barry", "one", "two"}
