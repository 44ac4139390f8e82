"""Nodes that join, leave, die and lose their broker."""
import shutil
import signal
import time

import pytest
from brokers import owners
from harness import PATIENCE, WAKE, RpcError, StartFailure, run


@pytest.mark.soak
def test_the_last_node_gives_its_names_back(cluster):
    servers, _ = cluster.of("a")
    assert servers[0].stop()[0] == 0
    client = cluster.start("b").client()
    assert owners(client) == {"alan": "b"}


@pytest.mark.soak
def test_a_request_that_waits_for_a_dead_node_is_answered(cluster):
    servers, clients = cluster.of("a", "b")
    servers[0].process.send_signal(signal.SIGSTOP)
    waiting = clients[1].start("character.play", character="alan", clip="walk")
    with pytest.raises(RpcError) as failure:
        clients[1].finish(waiting)
    assert failure.value.code == -32003 and "may have taken effect" in failure.value.message


def test_nodes_go_on_without_a_broker(cluster):
    _, clients = cluster.of("a", "b")
    clients[1].request("character.spawn", script="characters/wake", name="barry", node="b")
    clients[0].subscribe(characters=["alan"], bones=["Hips"], static=False)
    cluster.broker.kill()
    for client in clients:
        cluster.wait_until(lambda client=client: client.request("server.describe", cluster=True)["cluster"]
                           ["connected"] is False)
    assert clients[0].request("character.play", character="alan", clip="walk")["tick"] > 0
    error = clients[0].error("character.play", character="barry", clip="walk")
    assert error.code == -32003 and "broker" in error.message
    assert clients[0].error("character.spawn", script="characters/wake").code == -32003
    assert clients[0].error("simulation.pause").code == -32003
    time.sleep(2.0)  # longer than a node's status is kept
    assert owners(clients[0]) == owners(clients[1]) == {"alan": "a", "barry": "b"}
    clients[1].request("character.remove", character="barry")
    clients[0].take()
    first = clients[0].event("stream.frame")["tick"]
    ticks = [clients[0].event("stream.frame")["tick"] for _ in range(30)]
    assert ticks == list(range(first + 1, first + 31)), "a broker that is away delays no tick"
    cluster.broker.start()
    cluster.wait_until(lambda: cluster.nodes(clients[0]) == ["a", "b"] == cluster.nodes(clients[1]))
    cluster.wait_until(lambda: owners(clients[0]) == owners(clients[1]) == {"alan": "a"})
    cluster.wait_until(lambda: clients[1].request("server.describe", cluster=True)["cluster"]["connected"])
    assert cluster.eventually(clients[1], "character.play", character="alan", clip="walk")["tick"] > 0
    cluster.wait_until(lambda: cluster.nodes(clients[0]) == ["a", "b"] == cluster.nodes(clients[1]))
    spawned = cluster.eventually(clients[0], "character.spawn", script="characters/wake", name="barry", node="b")
    assert spawned["name"] == "barry"


@pytest.mark.soak
def test_a_broker_that_has_lost_everything_gets_it_again(cluster):
    servers, clients = cluster.of("a", "b")
    clients[0].request("character.spawn", script="characters/wake", name="barry", node="b")
    cluster.broker.kill()
    shutil.rmtree(cluster.broker.folder / "jetstream")
    cluster.broker.start()
    codes, end = set(), time.monotonic() + 3
    while time.monotonic() < end:
        for client, name in zip(clients, ("barry", "alan")):
            try:
                client.request("character.describe", character=name)
                codes.add(0)
            except RpcError as error:
                codes.add(error.code)
    assert codes == {0, -32003}, "each character exists all the time"
    for server, client in zip(servers, clients):
        server.wait_for_log("the broker of the cluster is back")
        cluster.wait_until(lambda client=client: owners(client) == {"alan": "a", "barry": "b"})
    assert clients[0].request("character.play", character="barry", clip="walk")["tick"] > 0


def test_a_node_that_joins_gets_the_world(cluster):
    _, (client,) = cluster.of("a")
    client.request("character.level", character="alan", level="skinned")
    client.request("fabric.set", character="alan", garment="jacket", values={"damping": 4})
    assert client.event("character.changed")["revision"] > 1
    client.request("world.set", gravity=[0, -2, 0])
    client.request("fabric.set", fabric="silk", values={"damping": 5})
    other = cluster.start("b").client()
    cluster.wait_until(lambda: other.request("world.get")["gravity"] == [0, -2, 0])
    cluster.wait_until(lambda: other.request("fabric.get", fabric="silk")["values"]["damping"]["value"] == 5)
    listed = client.request("character.list")
    assert listed[0]["level"] == "skinned" and listed[0]["revision"] > 1
    cluster.wait_until(lambda: other.request("character.list") == listed)


def test_the_world_of_an_earlier_cluster_is_forgotten(cluster):
    servers, (client,) = cluster.of("a")
    client.request("world.set", gravity=[0, -2, 0])
    time.sleep(0.3)  # it is stored
    assert servers[0].stop()[0] == 0
    clients = [cluster.start(name).client() for name in "bc"]
    time.sleep(0.5)
    assert [client.request("world.get")["gravity"][1] < -9 for client in clients] == [True, True]


@pytest.mark.parametrize("options, expected", [
    (["--node", "a"], "has a node a already"),
    (["--node", "b", "--rate", "120"], "ticks at 60 Hz (node a), not at 120: give --rate 60"),
    (["--node", "b", "--seed", "8"], "has the seed 0 (node a), not 8: give --seed 0"),
])
def test_a_node_that_does_not_fit_does_not_start(cluster, options, expected):
    cluster.start("a")
    with pytest.raises(StartFailure) as failure:
        server = cluster.start(*options[1:])
        server.process.wait(10 * PATIENCE)
        raise StartFailure("", server.log())
    assert expected in failure.value.log


def test_without_a_broker_no_node_starts():
    ended = run("serve", WAKE, "--listen", "127.0.0.1:0", "--cluster", "nats://127.0.0.1:1")
    assert ended.returncode == 1
    assert "cannot reach the broker of the cluster at nats://127.0.0.1:1" in ended.stderr


def test_credentials_that_cannot_be_read_are_named(broker):
    ended = run("serve", WAKE, "--listen", "127.0.0.1:0", "--cluster", broker.url, "--cluster-credentials", "/nope")
    assert ended.returncode == 1
    assert "cannot read --cluster-credentials /nope: No such file or directory" in ended.stderr


def test_a_broker_without_jetstream_is_named(broker):
    broker.kill()
    broker.start(jetstream=False)
    ended = run("serve", WAKE, "--listen", "127.0.0.1:0", "--cluster", broker.url)
    assert ended.returncode == 1 and "JetStream must be on" in ended.stderr
