"""A node gives all its characters away, and takes no others."""
import signal

from brokers import owners
from counter import counters
from harness import RpcError


def drained(client, node):
    return next(entry for entry in client.request("server.describe", cluster=True)["cluster"]["nodes"]
                if entry["node"] == node).get("drained", False)


def spawn(client, *names, **params):
    for name in names:
        client.request("character.spawn", script="characters/counter", name=name, **params)


def test_a_drained_node_is_empty_until_it_is_on_again(cluster, tmp_path):
    _, clients = counters(cluster, tmp_path)  # without cloth: sanitizers make that fill a node
    spawn(clients[1], "g1", "g2", "g3", "g4", "g5", node="a")
    result = clients[1].request("cluster.drain", node="a", timeout=120)
    assert result["left"] == []
    assert sorted(result["moved"]) == ["alan", "g1", "g2", "g3", "g4", "g5"]
    for client in clients:
        cluster.wait_until(lambda client=client: set(owners(client).values()) == {"b", "c"})
        cluster.wait_until(lambda client=client: drained(client, "a"))
    spawn(clients[0], "late")
    assert owners(clients[0])["late"] in ("b", "c")
    told = 'node a is drained: cluster.drain with "off":true ends that'
    error = clients[1].error("character.spawn", script="characters/counter", node="a")
    assert (error.code, error.path, error.message) == (-32003, "params.node", told)
    error = clients[1].error("cluster.move", character="late", node="a")
    assert (error.code, error.path, error.message) == (-32003, "params.node", told)
    result = clients[2].request("cluster.drain", node="a", off=True)
    assert result["moved"] == result["left"] == []
    cluster.wait_until(lambda: not drained(clients[1], "a"))
    clients[1].request("cluster.move", character="late", node="a")
    cluster.wait_until(lambda: owners(clients[1])["late"] == "a")


def test_what_cannot_go_stays_and_says_why(cluster):
    _, clients = cluster.of("a", "b")
    result = clients[1].request("cluster.drain", node="b")
    assert result["moved"] == result["left"] == [], "it has none"
    cluster.wait_until(lambda: drained(clients[0], "b"))
    result = clients[1].request("cluster.drain", node="a")
    assert result["moved"] == []
    assert result["left"] == [{"character": "alan", "reason": "no other node of the cluster takes characters"}]
    assert owners(clients[1]) == {"alan": "a"}
    cluster.wait_until(lambda: drained(clients[1], "a"))
    error = clients[1].error("character.spawn", script="characters/wake")
    assert (error.code, error.message) == (-32003, "no node of the cluster takes characters")
    error = clients[1].error("cluster.drain", node="aa")
    assert (error.code, error.path) == (-32001, "params.node") and 'did you mean "a"?' in error.message


def test_a_drain_can_be_ended(cluster, tmp_path):
    """What is not on its way yet stays; who asked for the drain is told."""
    _, clients = counters(cluster, tmp_path)
    names = [f"g{i}" for i in range(12)]
    spawn(clients[0], *names, node="a")
    request = clients[0].start("cluster.drain", node="a")
    answer = clients[1].request("cluster.drain", node="a", off=True)
    assert answer["moved"] == answer["left"] == []
    result = clients[0].finish(request)
    assert {each["reason"] for each in result["left"]} <= {"the node is drained no longer"}
    assert sorted(result["moved"] + [each["character"] for each in result["left"]]) == sorted(["alan", *names])
    cluster.wait_until(lambda: not drained(clients[0], "a"))
    for each in result["left"]:
        assert owners(clients[1])[each["character"]] == "a"


def test_a_target_that_dies_is_replaced_by_another(cluster, tmp_path):
    servers, clients = counters(cluster, tmp_path)
    names = [f"g{i}" for i in range(20)]
    spawn(clients[0], *names, node="a")
    servers[2].process.send_signal(signal.SIGSTOP)  # it takes nothing, and seems to be there for a while
    result = clients[1].request("cluster.drain", node="a", timeout=120)
    assert result["left"] == []
    assert sorted(result["moved"]) == sorted(["alan", *names])
    assert set(owners(clients[0]).values()) == {"b"}


def test_what_is_being_spawned_is_moved_too(cluster, tmp_path):
    servers, clients = counters(cluster, tmp_path)
    spawners = [servers[0].client() for _ in range(8)]
    spawns = [client.start("character.spawn", script="characters/counter", node="a") for client in spawners]
    result = clients[0].request("cluster.drain", node="a", timeout=60)
    names = ["alan"]
    for client, spawned in zip(spawners, spawns):
        try:
            names.append(client.finish(spawned)["name"])
        except RpcError as error:
            assert "node a is drained" in error.message
    assert result["left"] == [] and set(result["moved"]) <= set(names)
    cluster.wait_until(lambda: set(owners(clients[0])) == set(names))
    assert set(owners(clients[0]).values()) <= {"b", "c"}
