"""A character goes on at another node, live."""
import itertools
import random
import re
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from brokers import owners
from counter import append, appended, counters, write_counter
from cuts import Proxy
from harness import PATIENCE, RpcError, Server

STORM = """local tweed = require "tweed"
return tweed.scene {
  ground = 0,
  wind = tweed.wind { velocity = { 3, 0, 1 }, turbulence = .4, gust = .5 },
  spawn = {
    { script = "characters/wake", name = "alan", params = { mood = "calm" } },
    { script = "characters/wake", name = "barry", params = { mood = "calm" } },
  },
}
"""
TWINS = "alan", "barry"
VIEW = {"characters": [*TWINS], "precision": 7, "particles": True, "references": True, "wrinkles": True}


@pytest.fixture
def storm(tmp_path):
    scene = tmp_path / "storm.lua"
    scene.write_text(STORM)
    return scene


def move(cluster, client, node, character="alan"):
    reply = client.request("cluster.move", character=character, node=node)
    cluster.wait_until(lambda: owners(client).get(character) == node)
    return reply


def shown(frame):
    return {key: frame.get(key) for key in ("tick", "time", "bones", "particles", "references", "wrinkles", "sequence")}


def both(client, method, **params):
    for name in TWINS:
        client.request(method, character=name, **params)


def frames_by_tick(client):
    """Of each twin; a frame that comes twice, or after a later one, fails."""
    found = {name: {} for name in TWINS}
    for frame in client.take("stream.frame"):
        of = found[frame["character"]]
        assert not of or frame["tick"] > max(of), (frame["character"], frame["tick"], max(of))
        of[frame["tick"]] = shown(frame)
    return found


def test_cloth_goes_on_to_the_bit(cluster, storm):
    """One twin moves from node to node, the other stays at home: the same numbers in each tick."""
    clients = [server.client() for server in [cluster.start(name, scene=storm) for name in "abc"]]
    home, away = clients[:2]

    def step(ticks):
        for _ in range(0, ticks, 5):
            home.request("simulation.step", ticks=5)
            for client in clients[1:]:  # else they do not read
                client.drain()

    for client in clients:
        cluster.wait_until(lambda client=client: cluster.nodes(client) == ["a", "b", "c"])
        client.subscribe(**VIEW)
    home.request("simulation.pause")
    for node in ("b", "c"):
        both(away, "character.play", clip="walk", loop=True)
        step(60)
        both(away, "character.play", clip="jump", fade=1.0, speed=0.7)
        both(away, "character.pose", space="parent", bones={"Head": {"rotation": [0, 0.3, 0, 1]}}, sequence=7)
        both(away, "fabric.set", garment="jacket", values={"damping": 7})
        both(away, "seam.set", seam="front", closed=node == "b")
        step(5)
        both(home, "character.move", position=[1, 0, 2], teleport=True)
        moved = move(cluster, away, node)["tick"]  # while clips fade, and values change
        step(70)
        for client in clients:
            cluster.wait_until(lambda client=client: client.drain() or all(any(
                m["method"] == "stream.frame" and m["params"]["character"] == name and m["params"]["tick"] > moved + 60
                for m in client.kept) for name in TWINS))
            found = frames_by_tick(client)
            ticks = sorted(found["alan"].keys() & found["barry"].keys())
            assert ticks[0] < moved < ticks[-1] and sum(tick > moved for tick in ticks) > 5, (moved, ticks)
            for tick in ticks:
                assert found["alan"][tick] == found["barry"][tick], (tick, moved)
        move(cluster, away, "a")
    values = [away.request("fabric.get", character=name, garment="jacket")["values"]["damping"]["value"] for name in TWINS]
    described = [away.request("character.describe", character=name)["params"] for name in TWINS]
    assert values == [7, 7] and described == [{"mood": "calm"}] * 2
    for name in TWINS:
        away.request("character.reset", character=name)
    values = [away.request("fabric.get", character=name, garment="jacket")["values"]["damping"]["value"] for name in TWINS]
    assert values[0] == values[1] != 7, "what was set is taken back, as at home"


def test_each_frame_comes_once_to_clients_of_all_nodes(cluster):
    _, clients = cluster.of("a", "b", "c")
    clients[0].request("simulation.pause")
    begin = clients[0].request("session.ping")["tick"]
    for client in clients:
        client.subscribe(characters=["alan"], bones=["Hips"])

    def step_and_look():
        now = clients[1].request("simulation.step", ticks=1)["tick"]
        for client in clients:
            cluster.wait_until(lambda client=client: client.drain() or any(
                m["method"] == "stream.frame" and m["params"]["tick"] == now for m in client.kept))

    moves = "bcbaca"
    for node in moves:
        step_and_look()
        move(cluster, clients[1], node)
        step_and_look()
    for client in clients:
        client.drain(0.1)
        ticks = [m["params"]["tick"] for m in client.kept if m["method"] == "stream.frame"]
        assert ticks[-12:] == list(range(begin + 1, begin + 13)) and len(ticks) <= 13, ticks
        events = [(m["params"]["from"], m["params"]["node"]) for m in client.kept if m["method"] == "character.moved"]
        assert events == list(zip("a" + moves, moves))
        assert not any(m["method"] in ("character.spawned", "character.removed") for m in client.kept)


def ticks_shown(client):
    """Of all frames, until a second after now."""
    until = client.request("session.ping")["tick"] + 60
    while not client.kept or client.kept[-1]["params"].get("tick", 0) < until:
        client.kept.append(client.read())
    return [frame["tick"] for frame in client.take("stream.frame")]


def test_a_character_that_comes_and_goes_leaves_no_old_frame(cluster):
    """What the other node sent before is not shown once more when the character goes there again."""
    _, clients = cluster.of("a", "b")
    clients[0].subscribe(characters=["alan"], bones=["Hips"])
    for stay in (0.1, 0.4, 1.0):
        move(cluster, clients[0], "b")
        time.sleep(0.5)
        move(cluster, clients[0], "a")
        time.sleep(stay)
    move(cluster, clients[0], "b")
    ticks = ticks_shown(clients[0])
    assert len(ticks) > 60 / PATIENCE and ticks == sorted(set(ticks)), [(a, b) for a, b in zip(ticks, ticks[1:]) if b <= a]


def test_no_frame_goes_back_where_the_new_node_is_behind(cluster):
    servers, clients = cluster.of("a", "b", "c")
    clients[1].request("character.spawn", script="characters/wake", name="barry", node="b")  # else b would skip ticks
    for client in clients:
        client.subscribe(characters=["alan"], bones=["Hips"])
    clients[1].event("stream.frame")
    servers[1].process.send_signal(signal.SIGSTOP)
    time.sleep(0.6)
    servers[1].process.send_signal(signal.SIGCONT)
    clients[1].request("session.ping")
    move(cluster, clients[0], "b")
    for client in clients:
        ticks = ticks_shown(client)
        assert len(ticks) > 60 / PATIENCE and ticks == sorted(set(ticks)), [(a, b) for a, b in zip(ticks, ticks[1:]) if b <= a]


def test_a_node_that_is_far_behind_takes_no_character(cluster, tmp_path):
    """The old owner keeps its ticks on any machine: its character is light."""
    servers, clients = cluster.of("a", "b", scene=write_counter(tmp_path))
    clients[1].request("character.spawn", script="characters/counter", name="barry", node="b")  # else b would skip ticks
    clients[0].subscribe(characters=["alan"], bones=["Hips"])
    for _ in range(8):
        servers[1].process.send_signal(signal.SIGSTOP)
        time.sleep(0.6)
        servers[1].process.send_signal(signal.SIGCONT)
        time.sleep(0.3)
    with pytest.raises(RpcError) as failure:
        clients[0].request("cluster.move", character="alan", node="b")
    assert (failure.value.code, failure.value.path) == (-32003, "params.node")
    assert re.fullmatch(r"alan has stayed: node b: it is \d\.\d s behind the cluster's ticks", failure.value.message)
    assert owners(clients[1])["alan"] == "a"
    ticks = ticks_shown(clients[0])
    assert ticks and ticks == sorted(set(ticks))


def test_requests_are_served_once_on_the_way(cluster, tmp_path):
    """Through all nodes, while the character goes around: none is lost, served twice, or out of order."""
    servers, clients = counters(cluster, tmp_path)
    done = threading.Event()

    def ask(node, client):
        for i in itertools.count():
            if done.is_set():
                return i
            arguments = {"name": node, "number": i}
            for _ in range(3):
                client.notify("character.call", character="alan", command="append", arguments=arguments)
            append(client, node, i)

    with ThreadPoolExecutor() as pool:
        asking = [pool.submit(ask, *each) for each in zip("abc", [server.client() for server in servers])]
        for node in "bcbaca":
            move(cluster, clients[1], node)
        done.set()
        asked = {node: future.result() for node, future in zip("abc", asking)}
    served = appended(clients[0])
    for node, count in asked.items():
        assert [entry for entry in served if entry[0] == node] == [f"{node}{i}" for i in range(count) for _ in range(4)]
    assert owners(clients[0]) == {"alan": "a"}


@pytest.mark.parametrize("gateway", "ab")
def test_notifications_keep_their_order_on_the_way(cluster, tmp_path, gateway):
    """Nobody answers them, so those that the old owner has received are many."""
    servers, clients = counters(cluster, tmp_path)
    done, sent = threading.Event(), 0

    def notify(client):
        for i in itertools.count():
            if done.wait(0.004):
                return i
            client.notify("character.call", character="alan", command="append", arguments={"name": "n", "number": i})

    with ThreadPoolExecutor() as pool:
        notifying = pool.submit(notify, servers["abc".index(gateway)].client())
        for node in "bcbaca":
            move(cluster, clients[1], node)
        done.set()
        sent = notifying.result()
    cluster.wait_until(lambda: len(appended(clients[0])) == sent)
    assert appended(clients[0]) == [f"n{i}" for i in range(sent)]


def test_refusals(cluster, storm, tmp_path):
    with Server() as alone:
        error = alone.client().error("cluster.move", character="alan", node="a")
        assert (error.code, error.message) == (-32003, "this server is in no cluster")
    _, clients = cluster.of("a", "bert")
    error = clients[1].error("cluster.move", character="alan", node="bret")
    assert (error.code, error.path) == (-32001, "params.node") and 'did you mean "bert"?' in error.message, error
    error = clients[1].error("cluster.move", character="alam", node="bert")
    assert (error.code, error.path) == (-32001, "params.character") and 'did you mean "alan"?' in error.message, error
    assert clients[1].request("cluster.move", character="alan", node="a")["tick"] > 0, "it is there"
    other = tmp_path / "other"
    (other / "characters").mkdir(parents=True)
    (other / "characters/wake.lua").write_text("""local tweed = require "tweed"
return tweed.character { skeleton = tweed.skeleton { { name = "Hips", position = { 0, 1, 0 } } } }
""")
    third = cluster.start("carl", "--scripts", other, scene=storm).client()
    cluster.wait_until(lambda: cluster.nodes(clients[0]) == ["a", "bert", "carl"])
    before = clients[0].request("session.ping")["tick"]
    error = clients[1].error("cluster.move", character="alan", node="carl")
    assert error.code == -32003 and error.message == (
        "alan has stayed: node carl: the script is another one there: bones: expected 1, found 50"), error
    assert owners(third)["alan"] == owners(clients[0])["alan"] == "a"
    clients[0].subscribe(characters=["alan"], bones=["Hips"])
    assert clients[0].event("stream.frame")["tick"] >= before


def test_a_frozen_node_gets_nothing(cluster):
    servers, clients = cluster.of("a", "b")
    clients[0].subscribe(characters=["alan"], bones=["Hips"])
    servers[1].process.send_signal(signal.SIGSTOP)
    error = clients[0].error("cluster.move", character="alan", node="b")
    assert error.code == -32003 and error.message == "node b has gone: alan has stayed", error
    tick = clients[0].request("session.ping")["tick"]
    clients[0].kept.clear()
    assert clients[0].event("stream.frame")["tick"] >= tick - 2
    assert owners(clients[0]) == {"alan": "a"}
    servers[1].process.send_signal(signal.SIGCONT)
    cluster.wait_until(lambda: cluster.nodes(clients[0]) == ["a", "b"])
    move(cluster, clients[0], "b")


@pytest.mark.parametrize("seed", range(3))
def test_there_is_one_owner_whatever_dies(cluster, seed):
    """The target, or the broker, dies at a random moment of a move."""
    moment = random.Random(seed)
    servers, clients = cluster.of("a", "b", "c")
    clients[2].subscribe(characters=["alan"], bones=["Hips"])
    request = clients[0].start("cluster.move", character="alan", node="b")
    time.sleep(moment.uniform(0, 0.06))
    (servers[1].process if seed % 3 else cluster.broker).kill()
    try:
        clients[0].finish(request)
    except RpcError as error:
        assert error.code == -32003, error
    if seed % 3 == 0:
        time.sleep(1.0)
        cluster.broker.start()
    left, homes = [clients[0], clients[2]], "ac" if seed % 3 else "abc"
    cluster.wait_until(lambda: all(client.request("server.describe", cluster=True)["cluster"]["connected"]
                                   for client in left), 20)
    cluster.wait_until(lambda: owners(left[0]) == owners(left[1]) and owners(left[0]).get("alan", "none") in homes, 20)
    left[1].kept.clear()
    cluster.wait_until(lambda: left[1].drain() or left[1].take("stream.frame"), 20)
    for client in left:
        assert cluster.eventually(client, "character.stop", character="alan")["tick"] > 0


def test_what_a_script_saves_goes_along(cluster, tmp_path):
    scene = write_counter(tmp_path)
    clients = [cluster.start(name, scene=scene).client() for name in "ab"]
    cluster.wait_until(lambda: cluster.nodes(clients[0]) == cluster.nodes(clients[1]) == ["a", "b"])
    clients[0].request("simulation.pause")

    def call(command, **arguments):
        return clients[0].request("character.call", character="alan", command=command, arguments=arguments)["result"]

    call("name", name="Barry")
    first = call("look")
    move(cluster, clients[0], "b")
    clients[0].request("simulation.step", ticks=5)
    second = call("look")
    assert second["count"] == first["count"] + 5 and second["name"] == "Barry"
    assert second["random"] != first["random"]
    with Server("--no-http", scene=scene) as server:  # the same numbers at home
        control = server.client()
        random_numbers = [control.request("character.call", character="alan", command="look")["result"]["random"]
                          for _ in range(2)]
    assert random_numbers == [first["random"], second["random"]]
    call("spoil")
    error = clients[0].error("cluster.move", character="alan", node="a")
    assert error.code == -32003 and error.message.startswith("alan has stayed: alan: on_save: ") and \
        "counter.lua:8: not now" in error.message, error
    assert owners(clients[0]) == {"alan": "b"}
    clients[0].request("simulation.step", ticks=1)
    assert call("look")["count"] == second["count"] + 1


def test_a_move_ends_when_the_broker_goes(cluster, tmp_path):
    """The answer that it waits for is lost."""
    servers, clients = counters(cluster, tmp_path)
    servers[1].process.send_signal(signal.SIGSTOP)
    waiting = clients[0].start("cluster.move", character="alan", node="b")
    time.sleep(0.2)
    cluster.broker.kill()
    with pytest.raises(RpcError) as failure:
        clients[0].finish(waiting, timeout=3)
    assert (failure.value.code, failure.value.path, failure.value.message) == (
        -32003, "params.node", "the broker of the cluster went away: alan has stayed")
    cluster.broker.start()
    cluster.eventually(clients[0], "cluster.move", character="alan", node="c")
    assert "already" not in servers[0].log()
    servers[1].process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("seconds", [1.5, 2.1])
def test_a_character_lives_once_where_the_claim_of_its_new_node_is_not_answered(cluster, tmp_path, seconds):
    """The broker stores it, but node b hears nothing for longer than it waits, or than node a waits for it."""
    proxy = Proxy(cluster.broker.port, mark=b"$KV.tweed_chars.alan")
    scene = write_counter(tmp_path)
    servers = [cluster.start(name, scene=scene, url=proxy.url if name == "b" else None) for name in "abc"]
    clients = [server.client() for server in servers]
    for client in clients:
        cluster.wait_until(lambda client=client: cluster.nodes(client) == ["a", "b", "c"])
    append(clients[0], "before", 1)
    proxy.deafen_after_mark(seconds)
    try:
        clients[0].request("cluster.move", character="alan", node="b")
    except RpcError as error:
        assert error.message in ("node b does not answer: alan has stayed", "node b has gone: alan has stayed")
    time.sleep(seconds + 2)
    for client in clients:
        cluster.wait_until(lambda client=client: cluster.nodes(client) == ["a", "b", "c"], timeout=20)
        assert cluster.wait_until(lambda client=client: owners(client), timeout=20).keys() == {"alan"}
        cluster.eventually(client, "character.describe", character="alan")
        assert appended(client) == ["before1"]
    assert owners(clients[0]) == owners(clients[1]) == owners(clients[2])
