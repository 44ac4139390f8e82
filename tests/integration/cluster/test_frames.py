"""Frames of characters that other nodes simulate."""
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from brokers import owners
from counter import counters, write_counter
from harness import PATIENCE, RpcError
from overload import make_busy, write_busy

KEPT_S = 2.2  # a node keeps lines of characters that it does not know to be the sender's for 2 s


def without_view(raw):
    """What a line says but for the number of its view."""
    return raw.partition(b'"character"')[2]


def frames(client, count, **match):
    return [client.next_notification("stream.frame", **match) for _ in range(count)]


@pytest.fixture
def viewers(trio, _trio):
    """Connections of their own to nodes a, b and c: their views end with the test."""
    clients = [server.client() for server in _trio[0].servers]
    yield clients
    for client in clients:
        client.close()


def spawn(client, name, node):
    return client.request("character.spawn", script="characters/wake", name=name, node=node)["name"]


def test_frames_are_those_of_the_owner(viewers):
    owner, other, _ = viewers
    view = {"layout": "trs", "particles": True, "precision": 4, "policy": "queue"}
    for client in (owner, other):
        reply = client.subscribe(**view)
        assert "alan" in reply["characters"]
    statics = [client.next_notification("stream.static", character="alan")["raw"] for client in (owner, other)]
    assert without_view(statics[0]) == without_view(statics[1])
    passed_on = frames(other, 60, character="alan")
    ticks = [frame["params"]["tick"] for frame in passed_on]
    assert ticks == list(range(ticks[0], ticks[0] + 60)), "no frame is missing, none comes twice"
    own = {}
    while ticks[-1] not in own:
        frame, = frames(owner, 1, character="alan")
        own[frame["params"]["tick"]] = without_view(frame["raw"])
    assert [own[tick] for tick in ticks] == [without_view(frame["raw"]) for frame in passed_on]


@pytest.mark.parametrize("options", [{"static": False}, {}, {"mesh": True}])
def test_static_data_is_that_of_the_owner(viewers, options):
    owner, other, _ = viewers
    lines = []
    for client in (owner, other):
        client.subscribe(bones=["Hi*"], **options)
        lines.append(client.next_notification("stream.static", character="alan")["raw"])
        frames(client, 1, character="alan")
    assert without_view(lines[0]) == without_view(lines[1])


def test_subscriptions_of_one_view_get_what_each_wants(_trio, viewers):
    other = viewers[1]
    described, meshed, bare = (_trio[0].servers[1].client() for _ in range(3))
    members = {}
    for client, options in ((described, {}), (meshed, {"mesh": True}), (bare, {"static": False})):
        client.subscribe(bones=["Ches*"], **options)
        members[client] = client.event("stream.static", character="alan")
        frames(client, 5, character="alan")
    assert "meshes" not in members[described]["description"] and members[meshed]["description"]["meshes"]
    assert "description" not in members[bare]
    for client in (described, meshed, bare):
        client.drain()
        assert client.take("stream.static") == [], "static data comes once"

    def connections():
        return [entry["client"] for entry in viewers[0].request("server.stats")["clients"]].count("node b")

    _trio[0].wait_until(lambda: connections() == 1)  # for all clients of a view; those of earlier views end
    for client in (described, meshed, bare):
        client.close()
    _trio[0].wait_until(lambda: connections() == 0)
    assert other.request("session.ping")


def test_characters_come_and_go(viewers):
    owner, other, third = viewers
    other.subscribe(characters=["gu*"], bones=["Hips"], static=False)
    name = spawn(third, "guest", "c")
    assert other.event("stream.static")["character"] == name
    frames(other, 3, character=name)
    owner.request("character.remove", character=name)
    other.event("character.removed", character=name)
    other.drain(0.1)
    other.kept.clear()
    other.drain(0.2)
    assert other.take("stream.frame") == []
    spawn(third, name, "b")  # now it is this node's own
    frames(other, 3, character=name)
    owner.request("character.remove", character=name)


def test_a_rate_belongs_to_a_subscription(_trio, viewers):
    fast, slow = viewers[1], _trio[0].servers[1].client()
    fast.subscribe(characters=["alan"], bones=["Head"], static=False, policy="queue")
    slow.subscribe(characters=["alan"], bones=["Head"], static=False, policy="queue", rate=10)
    ticks = [frame["params"]["tick"] for frame in frames(slow, 8)][1:]
    assert [tick % 6 for tick in ticks] == [0] * 7 and ticks == list(range(ticks[0], ticks[0] + 42, 6))
    ticks = [frame["params"]["tick"] for frame in frames(fast, 20)]
    assert ticks == list(range(ticks[0], ticks[0] + 20))
    slow.close()


def test_redirect_names_the_other_nodes(_trio, viewers):
    reply = viewers[1].subscribe(characters=["al*"], redirect=True)
    host, port = _trio[0].servers[0].address
    assert reply["characters"] == []
    assert reply["redirect"] == [{"node": "a", "address": f"{host}:{port}", "characters": ["alan"]}]
    viewers[1].drain(0.2)
    assert viewers[1].take("stream.frame") == []
    assert viewers[0].subscribe(characters=["al*"], redirect=True)["redirect"] == []


def test_a_stopped_reader_delays_no_other(_trio, viewers):
    stopped = _trio[0].servers[1].client(receive_buffer=4096)
    stopped.subscribe(precision=7, particles=True, references=True)
    viewers[1].subscribe(characters=["alan"], bones=["Spine*"], static=False, policy="queue")
    ticks = [frame["params"]["tick"] for frame in frames(viewers[1], 90)]
    assert ticks == list(range(ticks[0], ticks[0] + 90))
    stopped.close()


def test_nodes_with_tokens_share_a_token_file(cluster, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text("observer secret1\noperator secret2\n")
    os.chmod(tokens, 0o600)
    clients = []
    for name in "ab":
        clients.append(cluster.start(name, "--token-file", tokens).client())
        clients[-1].request("session.open", token="secret2")
    cluster.wait_until(lambda: cluster.nodes(clients[1]) == ["a", "b"])
    clients[1].subscribe(characters=["alan"], bones=["Hips"], static=False)
    frames(clients[1], 3)
    assert clients[1].request("character.play", character="alan", clip="walk")["tick"] > 0
    assert "secret" not in json.dumps([server.log() for server in cluster.servers])
    with pytest.raises(RpcError):
        cluster.servers[1].client().request("character.list")


def test_a_queue_gets_every_frame_of_a_node_that_sends_others_fewer(cluster, tmp_path):
    scene = write_busy(tmp_path)
    owner, other = (cluster.start(name, "--rate", 240, "--script-budget", 1000, scene=scene, shed=True).client()
                    for name in "ab")
    cluster.wait_until(lambda: cluster.nodes(owner) == cluster.nodes(other) == ["a", "b"])
    make_busy(owner, 2)
    for client in (other, owner):
        client.subscribe(static=False, policy="queue")
    passed_on = [frame["params"]["tick"] for frame in frames(other, 30, character="busy")]
    own = []
    while not own or own[-1] < passed_on[-1]:
        own += [frame["params"]["tick"] for frame in frames(owner, 1)]
    first = max(own[0], passed_on[0])
    assert [tick for tick in passed_on if tick >= first] == [tick for tick in own if tick >= first]


def first_lines(client, names):
    """Which line came first of each character, until there are frames of those."""
    first, seen, until = {}, set(), time.monotonic() + 30 * PATIENCE
    while not seen >= set(names):
        assert time.monotonic() < until, seen
        message = client.next_notification()
        if message["method"].startswith("stream."):
            first.setdefault(message["params"]["character"], message["method"])
        if message["method"] == "stream.frame":
            seen.add(message["params"]["character"])
    return first


def test_static_data_comes_first_of_what_was_spawned_while_the_broker_was_away(cluster, tmp_path):
    servers, clients = counters(cluster, tmp_path)
    early, late = clients[1], servers[1].client()
    early.subscribe(bones=["Hips"])
    assert first_lines(early, ["alan"]) == {"alan": "stream.static"}
    cluster.broker.kill()
    cluster.wait_until(lambda: not clients[0].request("server.describe", cluster=True)["cluster"]["connected"])
    clients[0].request("character.call", character="alan", command="spawn", arguments={"name": "guest", "number": 1})
    clients[0].event("character.spawned", character="guest 1")
    time.sleep(KEPT_S)
    early.drain()
    early.kept.clear()
    cluster.broker.start()
    assert first_lines(early, ["guest 1"])["guest 1"] == "stream.static"
    late.subscribe(bones=["Hips"])
    assert first_lines(late, ["alan", "guest 1"]) == {"alan": "stream.static", "guest 1": "stream.static"}
    late.request("simulation.pause")
    tick = late.request("simulation.step", ticks=5)["tick"]
    late.event("stream.frame", character="guest 1", tick=tick)


def test_static_data_comes_first_after_many_characters_have_left_their_node(cluster, tmp_path):
    """The last lines of each come late and are kept, of 256 characters; so are the first ones of new characters."""
    servers, (reader, client) = cluster.of("a", "b", scene=write_counter(tmp_path))
    names, late = ([f"{name} {i + 1}" for i in range(number)] for name, number in (("guest", 320), ("late", 3)))
    client.request("character.spawn", script="characters/counter", name="host", node="b")
    reader.subscribe(bones=["Hips"])

    def spawn(name, number):
        client.request("character.call", character="host", command="spawn", arguments={"name": name, "number": number})

    def move(number):
        with servers[1].client() as mover:
            for name in names[number::8]:
                cluster.eventually(mover, "cluster.move", character=name, node="a")

    with ThreadPoolExecutor(9) as pool:
        first = pool.submit(first_lines, reader, late)
        spawn("guest", len(names))
        cluster.wait_until(lambda: owners(client).keys() >= set(names))
        list(pool.map(move, range(8)))
        spawn("late", len(late))
        assert [first.result()[name] for name in late] == ["stream.static"] * len(late)
