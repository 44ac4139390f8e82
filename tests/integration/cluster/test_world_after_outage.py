"""What is set on the world and on fabrics while the broker is away or loses it reaches all nodes afterwards."""
import shutil
import signal
import time


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
