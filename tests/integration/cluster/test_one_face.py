"""Clients of any node see the whole cluster as one server."""
import socket
import threading

from brokers import owners
from harness import WAKE


def test_of_three_nodes_with_one_scene_the_first_has_its_character(trio, _trio):
    def lists_if_equal():  # entries reach each node by itself
        lists = [client.request("character.list") for client in trio]
        return lists[0] == lists[1] == lists[2] and lists

    lists = _trio[0].wait_until(lists_if_equal)
    assert lists[0] == [{"name": "alan", "script": "characters/wake", "revision": lists[0][0]["revision"], "node": "a"}]


def test_describe_has_all_nodes(trio, _trio):
    def characters():
        return [node["characters"] for node in trio[1].request("server.describe", cluster=True)["cluster"]["nodes"]]

    _trio[0].wait_until(lambda: characters() == [1, 0, 0])
    cluster = trio[1].request("server.describe", cluster=True)["cluster"]
    assert (cluster["name"], cluster["node"], cluster["connected"]) == ("tweed", "b", True)
    assert [node["node"] for node in cluster["nodes"]] == ["a", "b", "c"]
    assert [node["load"] >= 0 for node in cluster["nodes"]] == [True] * 3 and cluster["nodes"][0]["load"] > 0
    assert "cluster" not in trio[1].request("server.describe")


def test_a_request_is_answered_by_the_owner(trio):
    owner, other, _ = trio
    before = owner.request("session.ping")["tick"]
    tick = other.request("character.play", character="alan", clip="walk", loop=True)["tick"]
    assert before < tick <= owner.request("session.ping")["tick"] + 1
    description = other.request("character.describe", character="alan", axes="blender")
    assert description == owner.request("character.describe", character="alan", axes="blender")
    other.request("character.reset", character="alan")


def test_what_is_no_event_reaches_no_client(trio, _trio):
    """Of a stranger on the subject of events: clients would take it for a part of the next line."""
    with socket.create_connection(("127.0.0.1", _trio[0].broker.port)) as stranger:
        for body in (b"{", b"\0\0", b"\xff\xfe", b'{"jsonrpc":"2.0","method":"character.removed","params":{}}',
                     b'{"jsonrpc":"2.0","id":1,"result":{}}\n', b"[]\n", b"{}\n{}\n"):
            stranger.sendall(b"PUB tweed.tweed.events %d\r\n%s\r\n" % (len(body), body))
        stranger.sendall(b"PING\r\n")
        while b"PONG" not in stranger.recv(65536):
            pass
    for client in trio:
        for _ in range(20):
            client.request("session.ping")
        client.drain(.1)
        assert "character.removed" not in [message["method"] for message in client.kept]


def test_an_answer_may_be_longer_than_a_message_of_the_broker(trio):
    owner, other, _ = trio
    meshes = other.request("character.describe", character="alan", mesh=True)
    assert len(str(meshes)) > 2 << 20
    assert meshes == owner.request("character.describe", character="alan", mesh=True)


def test_errors_are_those_of_the_owner(trio):
    local, remote = (client.error("character.play", character="alan", clip="wolk") for client in trio[:2])
    assert (local.code, local.message, local.path) == (remote.code, remote.message, remote.path)
    assert "walk" in remote.message
    error = trio[1].error("character.play", character="alam", clip="walk")
    assert (error.code, error.path) == (-32001, "params.character") and '"alan"' in error.message
    error = trio[1].error("character.play", character="alan")
    assert error.code == -32602, "parameters are checked before"


def test_ids_come_back_as_they_were(trio):
    trio[1].send_bytes(b'{"jsonrpc":"2.0","id":1e3,"method":"seam.list","params":{"character":"alan"}}\n'
                       b'[{"jsonrpc":"2.0","id":"x","method":"seam.list","params":{"character":"alan"}},'
                       b'{"jsonrpc":"2.0","id":[],"method":"seam.list"}]\n')
    assert b'"id":1e3,"result"' in trio[1].read_line()
    assert b'"id":"x","result"' in trio[1].read_line()


def test_spawn_goes_where_there_is_room_or_where_it_is_told(trio, _trio):
    cluster, _ = _trio
    names, where = [], {}
    while not {where[name] for name in names} >= {"b", "c"}:  # node a has alan already
        assert len(names) < 8, where
        names.append(cluster.eventually(trio[0], "character.spawn", script="characters/wake")["name"])
        where = owners(trio[0])
    assert set(names).isdisjoint({"alan"}) and len(set(names)) == len(names)
    pinned = trio[2].request("character.spawn", script="characters/wake", name="pinned 1", node="a")["name"]
    assert owners(trio[2])[pinned] == "a", "also before the entry comes"
    for name in [*names, pinned]:
        trio[1].request("character.remove", character=name)
    assert owners(trio[1]) == {"alan": "a"}, "also before the entries are gone"


def test_what_nodes_add_to_requests_means_nothing_of_a_client(trio, _trio):
    member = {"prepare": True, "asked": "a.1", "owner": "1"}
    identifier, trio[0].next_id = trio[0].next_id, trio[0].next_id + 1
    trio[0].send({**member, "jsonrpc": "2.0", "id": identifier, "method": "character.spawn",
                  "params": {"script": "characters/wake", "name": "prepared", "node": "b"}})
    assert trio[0].finish(identifier)["name"] == "prepared"
    _trio[0].wait_until(lambda: owners(trio[0]).get("prepared") == "b")
    trio[0].request("character.remove", character="prepared")


def test_spawn_refuses_what_it_cannot_do(trio):
    for client in trio:
        error = client.error("character.spawn", script="characters/wake", name="alan")
        assert (error.code, error.path) == (-32003, "params.name")
    error = trio[0].error("character.spawn", script="characters/wake", node="bb")
    assert (error.code, error.path) == (-32001, "params.node") and '"b"' in error.message
    error = trio[0].error("character.spawn", script="characters/nobody", name="nobody", node="b")
    assert (error.code, error.path) == (-32001, "params.script")
    # The name was given back.
    assert trio[0].request("character.spawn", script="characters/wake", name="nobody", node="c")["name"] == "nobody"
    trio[0].request("character.remove", character="nobody")


def test_a_name_is_given_once(trio):
    outcomes = []

    def spawn(client, node):
        try:
            outcomes.append(client.request("character.spawn", script="characters/wake", name="twin", node=node)["name"])
        except Exception as error:  # noqa: BLE001 - of another thread
            outcomes.append(error)

    for _ in range(5):
        outcomes.clear()
        threads = [threading.Thread(target=spawn, args=pair) for pair in zip(trio, "abc")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert outcomes.count("twin") == 1, outcomes
        assert [error.path for error in outcomes if error != "twin"] == ["params.name"] * 2
        trio[0].request("character.remove", character="twin")


def test_events_come_from_all_nodes(trio):
    name = trio[0].request("character.spawn", script="characters/wake", node="b")["name"]
    assert trio[0].take("character.spawned")[-1]["character"] == name, "before the reply"
    assert trio[2].event("character.spawned", character=name)["script"] == "characters/wake"
    values = {"damping": 4}
    trio[2].request("fabric.set", character=name, garment="jacket", values=values)
    assert trio[0].event("fabric.changed", character=name)["values"] == values
    revision = trio[0].event("character.changed", character=name)["revision"]
    entry = next(entry for entry in trio[0].request("character.list") if entry["name"] == name)
    assert entry["revision"] >= revision > 1
    trio[2].request("character.remove", character=name)
    trio[1].event("character.removed", character=name)


def test_levels_and_revisions_are_listed_by_all_nodes(trio, _trio):
    def entries():
        return [next(entry for entry in client.request("character.list") if entry["name"] == "alan") for client in trio]

    def all_have(level):
        listed = entries()
        return listed[0] == listed[1] == listed[2] and listed[0].get("level") == level

    trio[1].request("character.level", character="alan", level="reduced")
    _trio[0].wait_until(lambda: all_have("reduced"))
    trio[2].request("fabric.set", character="alan", garment="jacket", values={"damping": 4})
    for client in trio:
        revision = client.event("character.changed", character="alan")["revision"]
        entry = next(entry for entry in client.request("character.list") if entry["name"] == "alan")
        assert entry["revision"] >= revision > 1
    trio[1].request("character.level", character="alan", level="full")
    trio[1].request("character.reset", character="alan")
    _trio[0].wait_until(lambda: all_have(None))


def test_notifications_reach_the_owner_and_their_mistakes_come_back(trio):
    owner, other, _ = trio
    other.notify("character.pose", character="alan", space="parent", bones={"Nose": {"rotation": [0, 0, 0, 1]}})
    assert 'no bone "Nose"' in other.event("log", level="error")["message"]
    owner.subscribe(bones=["Hips"], layout="trs", static=False)
    other.notify("character.pose", character="alan", space="parent", sequence=7,
                 bones={"Hips": {"position": [0, 2, 0], "rotation": [0, 0, 0, 1]}})
    frame = owner.event("stream.frame", sequence=7)
    assert frame["bones"][0][1] == 2
    owner.request("stream.unsubscribe", view=1)
    other.request("character.release", character="alan")


def test_the_world_is_the_same_everywhere(trio, _trio):
    cluster, _ = _trio
    before = trio[0].request("world.get")
    trio[2].request("world.set", gravity=[0, -1, 0], wind={"velocity": [2, 0, 0]})
    trio[1].request("world.tornado", name="t", position=[5, 0, 0], radius=1, strength=3, lift=1)

    def world(client):
        now = client.request("world.get")
        return now["gravity"], now["wind"]["velocity"], [tornado["name"] for tornado in now["tornados"]]

    for client in trio:
        cluster.wait_until(lambda client=client: world(client) == ([0, -1, 0], [2, 0, 0], ["t"]))
    trio[0].request("world.calm", name="t")
    trio[0].request("world.set", gravity=before["gravity"], wind=before["wind"])
    for client in trio:
        cluster.wait_until(lambda client=client: client.request("world.get") == before)


def test_one_change_of_the_world_is_one_event_everywhere(trio, _trio):
    cluster, _ = _trio
    before = trio[0].request("world.get")
    trio[0].request("world.set", gravity=[0, -3, 0], wind={"velocity": [3, 0, 0]}, ground=-5)
    trio[0].request("world.tornado", name="end", position=[5, 0, 0], radius=1, strength=3, lift=1)
    for client in trio:
        cluster.wait_until(lambda client=client: client.request("world.get")["tornados"])
        worlds = [(event["gravity"], event["wind"]["velocity"], event["ground"])
                  for event in client.take("world.changed") if not event["tornados"]]
        assert worlds == [([0, -3, 0], [3, 0, 0], -5)]
    trio[0].request("world.calm", name="end")
    trio[0].request("world.set", **{part: before[part] for part in ("gravity", "wind", "ground")})
    for client in trio:
        cluster.wait_until(lambda client=client: client.request("world.get") == before)


def test_nodes_that_set_the_world_at_once_agree_in_the_end(trio, _trio):
    cluster, _ = _trio
    before = trio[0].request("world.get")
    for i in range(10):
        trio[0].notify("world.set", gravity=[0, -1, i])
        trio[1].notify("world.set", wind={"velocity": [i, 0, 0]})
        trio[2].notify("world.set", gravity=[0, -2, i])

    def worlds():
        return [client.request("world.get") for client in trio]

    cluster.wait_until(lambda: all(world["wind"]["velocity"] == [9, 0, 0] and world["gravity"][2] == 9
                                   for world in worlds()))
    cluster.wait_until(lambda: (now := worlds())[0] == now[1] == now[2])
    trio[0].request("world.set", gravity=before["gravity"], wind=before["wind"])
    for client in trio:
        cluster.wait_until(lambda client=client: client.request("world.get") == before)


def test_fabrics_are_the_same_everywhere(trio, _trio):
    cluster, _ = _trio

    def damping(client):
        return client.request("fabric.get", fabric="silk")["values"]["damping"]["value"]

    trio[1].request("fabric.set", fabric="silk", values={"damping": 5})
    for client in trio:
        cluster.wait_until(lambda client=client: damping(client) == 5)


def test_an_observer_changes_nothing_elsewhere(trio, _trio):
    cluster, _ = _trio
    with cluster.servers[1].client() as guest:
        guest.request("session.open", role="observer")
        assert guest.error("character.remove", character="alan").code == -32002
        assert guest.request("seam.list", character="alan") is not None


def test_a_server_without_a_cluster_says_so(start):
    client = start(scene=WAKE).client()
    error = client.error("server.describe", cluster=True)
    assert (error.code, error.path) == (-32003, "params.cluster")
    error = client.error("character.spawn", script="characters/wake", node="a")
    assert (error.code, error.path) == (-32003, "params.node")
