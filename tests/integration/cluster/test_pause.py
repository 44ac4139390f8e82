"""simulation.pause, step and resume hold all nodes at one tick."""
import os
import signal
import socket
import struct
import time

import pytest
from brokers import owners
from harness import SANITIZED, RpcError


def ticks(clients):
    return [client.request("session.ping")["tick"] for client in clients]


def stats(client):
    return {key: client.request("server.stats")[key] for key in ("paused", "holds")}


def is_connected(client):
    return client.request("server.describe", cluster=True)["cluster"]["connected"]


def assert_stands(clients, tick):
    before = ticks(clients)
    time.sleep(0.2)
    assert before == ticks(clients) == [tick] * len(clients)


def assert_runs(cluster, clients):
    before = ticks(clients)
    cluster.wait_until(lambda: all(a > b + 5 for a, b in zip(ticks(clients), before)))
    cluster.wait_until(lambda: [stats(client) for client in clients] == [{"paused": False, "holds": 0}] * len(clients))


def test_a_pause_holds_all_nodes_at_the_tick_of_its_reply(cluster):
    _, clients = cluster.of("a", "b", "c")
    clients[0].request("character.spawn", script="characters/wake", name="guest", node="b")
    for asked in clients:
        for client in clients:
            client.drain()
            client.kept.clear()
        begin = time.monotonic()
        reply = asked.request("simulation.pause")
        assert reply["holds"] == 1
        assert SANITIZED or time.monotonic() - begin < 4  # a node that falls behind has its ticks to catch up on
        assert_stands(clients, reply["tick"])
        assert [stats(client) for client in clients] == [{"paused": True, "holds": 1}] * 3
        assert [client.event("simulation.paused")["holds"] for client in clients] == [1] * 3
        assert asked.request("simulation.resume")["holds"] == 0
        assert_runs(cluster, clients)
        for client in clients:
            client.event("simulation.resumed")


def test_holds_of_several_nodes_add_up(cluster):
    servers, clients = cluster.of("a", "b")
    tick = clients[0].request("simulation.pause")["tick"]
    assert clients[1].request("simulation.pause") == {"tick": tick, "holds": 2}
    assert clients[0].request("simulation.pause") == {"tick": tick, "holds": 2}, "a connection has one at most"
    assert clients[0].request("simulation.resume") == {"tick": tick, "holds": 1}
    assert_stands(clients, tick)
    other = servers[0].client()
    assert other.request("simulation.resume") == {"tick": tick, "holds": 1}, "nothing of its own"
    clients[1].close()
    clients[1] = servers[1].client()
    assert_runs(cluster, clients)


def test_steps_take_all_nodes_the_same_number_of_ticks(cluster):
    servers, clients = cluster.of("a", "b", "c")
    for node in "bc":
        clients[0].request("character.spawn", script="characters/wake", name=f"of {node}", node=node)
    error = clients[1].error("simulation.step", ticks=3)
    assert error.code == -32003 and "pause it first" in error.message
    tick = clients[0].request("simulation.pause")["tick"]
    clients[1].subscribe(characters=["of b"], bones=["Hips"], static=False)
    clients[1].drain(0.1)
    clients[1].kept.clear()
    for count in (1, 30, 7):
        frames = clients[1].step(count)
        tick += count
        assert [frame["tick"] for frame in frames] == list(range(tick - count + 1, tick + 1)), "of its own node, all"
        assert_stands(clients, tick)
        assert stats(clients[2]) == {"paused": True, "holds": 1}
    assert clients[2].request("simulation.step", ticks=2)["tick"] == tick + 2, "whoever asks"
    clients[0].request("simulation.resume")
    assert_runs(cluster, clients)


def test_one_connection_of_the_cluster_steps_at_a_time(cluster):
    _, clients = cluster.of("a", "b")
    tick = clients[0].request("simulation.pause")["tick"]
    waiting = clients[0].start("simulation.step", ticks=3000)
    cluster.wait_until(lambda: stats(clients[1])["holds"] == 2)
    error = clients[1].error("simulation.step", ticks=1)
    assert error.code == -32003 and "another connection is stepping" in error.message
    assert clients[0].finish(waiting, 60) == {"tick": tick + 3000}
    assert ticks(clients) == [tick + 3000] * 2


def test_a_step_whose_connection_ends_is_done_by_all(cluster):
    servers, clients = cluster.of("a", "b")
    tick = clients[0].request("simulation.pause")["tick"]
    stepper = servers[1].client()
    stepper.start("simulation.step", ticks=500)
    cluster.wait_until(lambda: stats(clients[0])["holds"] == 2)
    stepper.close()
    cluster.wait_until(lambda: ticks(clients) == [tick + 500] * 2 and stats(clients[1])["holds"] == 1, timeout=20)
    clients[0].close()
    clients[0] = servers[0].client()
    assert_runs(cluster, clients)


def test_a_step_whose_connection_is_reset_leaves_the_pause(cluster):
    servers, clients = cluster.of("a", "b")
    tick = clients[0].request("simulation.pause")["tick"]
    stepper = servers[0].client()
    stepper.start("simulation.step", ticks=100_000)
    cluster.wait_until(lambda: ticks(clients)[0] > tick)
    stepper.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stepper.close()
    cluster.wait_until(lambda: len(clients[0].request("server.stats")["clients"]) == 1)
    assert stats(clients[0]) == {"paused": True, "holds": 1}, "all go on with the step"
    assert ticks(clients)[0] < tick + 100_000
    assert [client.take("simulation.resumed") for client in clients] == [[], []]


def test_the_pause_of_a_dead_node_ends(cluster):
    servers, clients = cluster.of("a", "b", "c")
    tick = clients[0].request("simulation.pause")["tick"]
    assert_stands(clients, tick)
    servers[0].process.kill()
    assert_runs(cluster, clients[1:])
    cluster.wait_until(lambda: owners(clients[1]).get("alan") in ("b", "c"))


def test_a_pause_outlives_other_nodes_and_the_broker(cluster):
    servers, clients = cluster.of("a", "b", "c")
    clients[1].request("simulation.pause")
    servers[0].process.kill()  # the reference of the clock
    cluster.wait_until(lambda: cluster.nodes(clients[2]) == ["b", "c"])
    tick = ticks(clients[1:])[0]
    assert_stands(clients[1:], tick)
    cluster.broker.kill()
    cluster.wait_until(lambda: not is_connected(clients[2]))
    error = clients[2].error("simulation.resume")
    assert error.code == -32003 and "broker" in error.message
    assert_stands(clients[1:], tick)
    cluster.broker.start()
    for client in clients[1:]:
        cluster.wait_until(lambda client=client: is_connected(client) and cluster.nodes(client) == ["b", "c"])
    assert_stands(clients[1:], tick)
    clients[1].request("simulation.resume")
    assert_runs(cluster, clients[1:])


@pytest.mark.parametrize("method", ["simulation.resume", "simulation.pause"])
def test_a_request_that_fails_leaves_the_pause(cluster, method):
    _, clients = cluster.of("a", "b")
    tick = clients[1].request("simulation.pause")["tick"]
    cluster.broker.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, cluster.broker.process.pid, os.WSTOPPED)
    waiting = clients[1].start(method)
    time.sleep(0.2)
    cluster.broker.process.kill()  # without going on before
    cluster.broker.process.wait()
    with pytest.raises(RpcError, match="the broker of the cluster went away"):
        clients[1].finish(waiting)
    cluster.broker.start()
    for client in clients:
        cluster.wait_until(lambda client=client: is_connected(client) and cluster.nodes(client) == ["a", "b"])
    assert_stands(clients, tick)
    assert [stats(client) for client in clients] == [{"paused": True, "holds": 1}] * 2
    assert not [event for client in clients for event in client.take("simulation.resumed")]
    clients[1].request("simulation.resume")
    assert_runs(cluster, clients)


def test_a_node_that_joins_a_paused_cluster_is_paused(cluster):
    _, clients = cluster.of("a")
    tick = clients[0].request("simulation.pause")["tick"]
    time.sleep(1.0)
    clients.append(cluster.start("b").client())
    assert clients[1].hello["paused"] is True
    assert_stands(clients, tick)
    assert clients[1].request("simulation.step", ticks=5)["tick"] == tick + 5
    clients[0].request("simulation.resume")
    assert_runs(cluster, clients)


def test_a_cluster_that_begins_paused_is_resumed_by_anyone(cluster):
    clients = [cluster.start("a", "--paused").client()]
    assert_stands(clients, 0)
    assert stats(clients[0]) == {"paused": True, "holds": 1}
    clients.append(cluster.start("b", "--paused").client())
    assert_stands(clients, 0)
    cluster.wait_until(lambda: stats(clients[1]) == {"paused": True, "holds": 1})
    assert clients[1].request("simulation.resume")["holds"] == 0
    assert_runs(cluster, clients)


def test_a_frozen_node_does_not_hold_up_a_pause(cluster):
    servers, clients = cluster.of("a", "b", "c")
    servers[2].process.send_signal(signal.SIGSTOP)
    reply = clients[0].request("simulation.pause")
    assert_stands(clients[:2], reply["tick"])
    assert cluster.nodes(clients[0]) == ["a", "b"], "the reply waits until it counts as gone"
    servers[2].process.send_signal(signal.SIGCONT)
    cluster.wait_until(lambda: ticks(clients) == [reply["tick"]] * 3)


def test_nodes_have_the_same_air_at_the_same_tick(cluster):
    """Two characters that begin alike on two nodes, of which one has joined late: their clothes move to the bit alike."""
    clients = [cluster.start("a").client()]
    clients[0].request("world.set", wind={"velocity": [3, 0, 1], "gust": 0.4, "turbulence": 0.5})
    clients[0].request("world.tornado", name="one", position=[4, 0, 3], radius=1, strength=5, lift=1, velocity=[0.2, 0, 0.1])
    time.sleep(0.7)
    clients.append(cluster.start("b").client())
    cluster.wait_until(lambda: cluster.nodes(clients[0]) == ["a", "b"] == cluster.nodes(clients[1]))
    cluster.wait_until(lambda: clients[0].request("world.get")["wind"] == clients[1].request("world.get")["wind"])
    clients[1].request("world.set", wind={"velocity": [2, 0, 3]})
    cluster.wait_until(lambda: clients[0].request("world.get")["wind"] == clients[1].request("world.get")["wind"])
    time.sleep(0.3)
    clients[0].request("simulation.pause")
    assert clients[0].request("world.get") == clients[1].request("world.get"), "the tornado is at the same place"
    for client, node in zip(clients, "ab"):
        client.request("character.spawn", script="characters/wake", name=f"of {node}", node=node, position=[2, 0, 1])
        client.subscribe(characters=[f"of {node}"], static=False)
    for client in clients:
        client.drain(0.2)
        client.kept.clear()
    for _ in range(8):  # both are read between: who does not read is closed, and ticks are slow with sanitizers
        clients[0].request("simulation.step", 60, ticks=15)
        for client in clients:
            client.drain(0.3)
    last = [client.take("stream.frame")[-1] for client in clients]
    assert last[0]["tick"] == last[1]["tick"] and last[0]["bones"] == last[1]["bones"]
