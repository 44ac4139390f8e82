"""What is set on the world and on fabrics, and which characters come and go, while the broker is away or loses it
reaches all nodes afterwards."""
import shutil
import signal
import time

from brokers import owners
from counter import counters
from harness import wait_until


def described(client):
    world = client.request("world.get")
    silk = client.request("fabric.get", fabric="silk")["values"]
    return world["wind"]["velocity"], [tornado["name"] for tornado in world["tornados"]], silk["damping"]["value"]


def wait_for_broker(cluster, clients, is_there):
    for client in clients:
        cluster.wait_until(lambda client=client: client.request("server.describe", cluster=True)["cluster"]
                           ["connected"] is is_there, timeout=10)


def change(client):
    client.request("world.set", wind={"velocity": [2, 0, 0]})
    client.request("world.calm", name="old")
    client.request("world.tornado", name="new", position=[9, 0, 9], radius=0.6, strength=5, lift=1)
    client.request("fabric.set", fabric="silk", values={"damping": 1.5})


def check_all_have(cluster, clients, *expected):
    for client in [*clients, cluster.start("z").client()]:
        cluster.wait_until(lambda client=client: described(client) == expected)


def test_changes_made_without_a_broker_reach_all_nodes(cluster):
    servers, clients = cluster.of("a", "b", "c")
    clients[1].request("world.tornado", name="old", position=[5, 0, 5], radius=0.6, strength=5, lift=1)
    cluster.wait_until(lambda: all(client.request("world.get")["tornados"] for client in clients))
    cluster.broker.kill()
    wait_for_broker(cluster, clients, False)
    change(clients[0])
    cluster.broker.start()
    wait_for_broker(cluster, clients, True)
    check_all_have(cluster, clients, [2, 0, 0], ["new"], 1.5)
    servers[0].wait_for_log("world has changed while the broker is away: the other nodes get it when the broker is back")


def test_a_broker_that_does_not_answer_loses_no_change(cluster):
    servers, clients = cluster.of("a", "b")
    clients[1].request("world.tornado", name="old", position=[5, 0, 5], radius=0.6, strength=5, lift=1)
    cluster.wait_until(lambda: all(client.request("world.get")["tornados"] for client in clients))
    cluster.broker.process.send_signal(signal.SIGSTOP)
    change(clients[0])
    servers[0].wait_for_log("it is put again when the broker is back")
    time.sleep(4)  # the nodes lose their connections
    cluster.broker.process.send_signal(signal.SIGCONT)
    wait_for_broker(cluster, clients, True)
    check_all_have(cluster, clients, [2, 0, 0], ["new"], 1.5)


def test_of_changes_on_two_nodes_without_a_broker_the_last_counts(cluster):
    _, clients = cluster.of("a", "b")
    cluster.broker.kill()
    wait_for_broker(cluster, clients, False)
    clients[0].request("fabric.set", fabric="silk", values={"damping": 2})
    clients[1].request("fabric.set", fabric="silk", values={"damping": 3})
    clients[1].request("world.set", wind={"velocity": [1, 0, 0]}, gravity=[0, -3, 0])
    clients[0].request("world.set", wind={"velocity": [3, 0, 0]})
    cluster.broker.start()
    wait_for_broker(cluster, clients, True)
    check_all_have(cluster, clients, [3, 0, 0], [], 3)
    assert [client.request("world.get")["gravity"] for client in clients] == [[0, -3, 0]] * 2


def test_a_broker_that_has_lost_its_storage_gets_the_world_again(cluster):
    _, clients = cluster.of("a", "b")
    clients[0].request("world.set", wind={"velocity": [4, 0, 0]})
    clients[0].request("fabric.set", fabric="silk", values={"damping": 4})
    cluster.wait_until(lambda: described(clients[1]) == ([4, 0, 0], [], 4))
    cluster.broker.kill()
    shutil.rmtree(cluster.broker.folder / "jetstream")
    cluster.broker.start()
    wait_for_broker(cluster, clients, True)
    time.sleep(2)
    check_all_have(cluster, clients, [4, 0, 0], [], 4)


def test_clients_of_all_nodes_are_told_what_came_and_went_without_a_broker(cluster, tmp_path):
    _, clients = counters(cluster, tmp_path)
    clients[0].request("character.spawn", script="characters/counter", name="leaving", node="a")
    cluster.wait_until(lambda: all("leaving" in owners(client) for client in clients))
    for client in clients:
        client.event("character.spawned", character="leaving")
    cluster.broker.kill()
    wait_for_broker(cluster, clients, False)
    clients[0].request("character.remove", character="leaving")
    clients[0].request("character.call", character="alan", command="spawn", arguments={"name": "guest", "number": 1})
    clients[0].event("character.spawned", character="guest 1")
    cluster.broker.start()
    wait_for_broker(cluster, clients, True)
    for client in clients[1:]:
        assert_told(client, ("character.removed", "leaving"), ("character.spawned", "guest 1"))
        assert owners(client) == {"alan": "a", "guest 1": "a"}


def assert_told(client, *expected):
    events = []

    def are_there():
        client.request("session.ping")
        events.extend((method, params["character"]) for method, _ in expected for params in client.take(method))
        return len(events) >= len(expected)

    wait_until(are_there, 5, lambda: f"told {events}")
    assert sorted(events) == sorted(expected)
