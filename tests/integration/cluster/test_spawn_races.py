"""Spawns, removals and moves of one character through several nodes at once."""
import random
from concurrent.futures import ThreadPoolExecutor

from counter import counters
from harness import RpcError


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
