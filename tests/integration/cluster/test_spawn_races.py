"""Spawns, removals and moves of one character through several nodes at once."""
import random
import socket
import struct
import time
from concurrent.futures import ThreadPoolExecutor

from brokers import owners
from counter import COUNTER, counters
from harness import PATIENCE, RpcError


def test_spawns_without_a_name_through_all_nodes_at_once_succeed(cluster, tmp_path):
    _, clients = counters(cluster, tmp_path)

    def name_of(client, request):
        try:
            return client.finish(request)["name"]
        except RpcError as error:  # a busy machine has no room for a moment
            assert "the cluster is full" in error.message, error
            return None

    def spawn(client):
        requests = [client.start("character.spawn", script="characters/counter") for _ in range(15)]
        names = [name_of(client, request) for request in requests]
        return [name or cluster.eventually(client, "character.spawn", script="characters/counter")["name"]
                for name in names]

    with ThreadPoolExecutor(3) as pool:
        names = [name for of_client in pool.map(spawn, clients) for name in of_client]
    assert len(set(names)) == 45
    assert all(name.startswith("counter") for name in names)


def test_no_node_is_said_to_be_gone_while_all_are_well(cluster, tmp_path):
    """A character that is spawned, moved and removed through three nodes at once is nowhere for moments."""
    _, clients = counters(cluster, tmp_path)

    def churn(seed):
        client, chance, refused = clients[seed], random.Random(seed), set()
        for _ in range(60):
            method, params = chance.choice([("character.remove", {}), ("cluster.move", {"node": chance.choice("abc")}),
                                            ("character.spawn", {"script": "characters/counter"})])
            name = "name" if method == "character.spawn" else "character"
            try:
                client.request(method, **{name: "z"}, **params)
            except RpcError as error:
                refused.add(error.message)
        return refused

    with ThreadPoolExecutor(3) as pool:
        refused = set().union(*pool.map(churn, range(3)))
    assert not [message for message in refused if "gone" in message]


def test_each_request_is_answered_while_its_character_is_removed_and_spawned(cluster, tmp_path):
    """One that reaches the node that has just removed the character is answered, too."""
    _, clients = counters(cluster, tmp_path)
    is_over = False

    def ask(client):
        errors = set()
        while not is_over:
            for request in [client.start("character.call", character="z", command="look") for _ in range(5)]:
                try:
                    client.finish(request)
                except RpcError as error:
                    errors.add(error.message)
        return errors

    with ThreadPoolExecutor(2) as pool:
        asking = [pool.submit(ask, client) for client in clients[1:]]
        for i in range(60):
            cluster.eventually(clients[0], "character.spawn", script="characters/counter", name="z", node="abc"[i % 3])
            cluster.eventually(clients[0], "character.remove", character="z")
        is_over = True
        errors = set().union(*(each.result() for each in asking))
    assert not [message for message in errors if "has answered" in message], errors


def test_a_spawn_ends_with_the_client_that_waits_for_it_on_another_node(cluster, tmp_path):
    """The script takes a while to load. A connection that is reset is gone; one that has only ended is answered."""
    servers, clients = counters(cluster, tmp_path)
    (tmp_path / "characters/slow.lua").write_text("local sum = 0 for i = 1, 6e7 do sum = sum + i end\n" + COUNTER)
    leaving = servers[1].client()
    leaving.start("character.spawn", script="characters/slow", name="ghost", node="a")
    time.sleep(0.05)
    leaving.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    leaving.close()
    clients[0].request("character.spawn", script="characters/slow", name="present", node="a", timeout=20 * PATIENCE)
    assert owners(clients[0]) == {"alan": "a", "present": "a"}
    clients[2].request("character.spawn", script="characters/slow", name="ghost", node="a")
