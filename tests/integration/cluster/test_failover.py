"""What becomes of the characters of a node that dies, leaves or freezes."""
import signal
import time

import pytest
from brokers import owners
from harness import PATIENCE, RpcError


def hips(frame):
    return frame["bones"][0][:3]


def settled(cluster, seconds=0.8):
    """Time in which the states of a few characters are put for certain."""
    time.sleep(seconds * PATIENCE)


def test_characters_of_a_dead_node_go_on_elsewhere(cluster):
    servers, clients = cluster.of("a", "b", "c")
    watcher = clients[1]
    watcher.request("character.spawn", script="characters/wake", name="barry", node="a", position=[3, 0, 0],
                    params={"mood": "calm"})
    for i in range(6):
        watcher.request("character.spawn", script="characters/wake", name=f"guest {i}", node="a")
    watcher.request("character.play", character="barry", clip="walk", loop=True)
    watcher.subscribe(bones=["Hips"], layout="trs", static=False)
    settled(cluster)
    watcher.drain()
    last = {frame["character"]: frame for frame in watcher.take("stream.frame")}
    assert len(last) == 8
    begin = time.monotonic()
    servers[0].process.kill()
    time.sleep(0.2)  # what is on the way
    watcher.drain()
    watcher.kept.clear()
    gaps, first = {}, {}
    while len(gaps) < 8:
        frame = watcher.event("stream.frame")
        gaps.setdefault(frame["character"], time.monotonic() - begin)
        first.setdefault(frame["character"], frame)
    assert max(gaps.values()) < 3.5 * PATIENCE, gaps
    where = owners(watcher)
    assert where.keys() == last.keys() and set(where.values()) == {"b", "c"}, "shared out"
    assert watcher.request("character.describe", character="barry")["params"] == {"mood": "calm"}
    for name, frame in first.items():
        assert sum((a - b) ** 2 for a, b in zip(hips(frame), hips(last[name]))) < 2 ** 2, "about where it was"
    assert hips(first["barry"])[0] > 2
    before = watcher.event("stream.frame", character="barry")
    settled(cluster, 0.5)
    watcher.drain()
    after = watcher.take("stream.frame")
    after = [frame for frame in after if frame["character"] == "barry"][-1]
    assert hips(after)[2] > hips(before)[2] + 0.2, "it walks on"


def test_a_node_that_leaves_hands_its_characters_over(cluster):
    servers, clients = cluster.of("a", "b")
    clients[1].request("character.spawn", script="characters/wake", name="barry", node="a", position=[3, 0, 0])
    settled(cluster)
    status, seconds = servers[0].stop()
    assert status == 0 and seconds < 3 * PATIENCE
    cluster.wait_until(lambda: owners(clients[1]) == {"alan": "b", "barry": "b"}, timeout=2)
    assert clients[1].request("character.play", character="barry", clip="walk")["tick"] > 0


@pytest.mark.soak
def test_a_node_that_starts_again_has_its_characters_again(cluster):
    servers, clients = cluster.of("a")
    clients[0].request("character.spawn", script="characters/wake", name="barry", position=[3, 0, 0])
    settled(cluster)
    servers[0].process.kill()
    client = cluster.start("a").client()
    cluster.wait_until(lambda: owners(client) == {"alan": "a", "barry": "a"})
    client.subscribe(characters=["barry"], bones=["Hips"], layout="trs")
    assert hips(client.event("stream.frame"))[0] > 2


@pytest.mark.soak
def test_what_was_removed_stays_removed(cluster):
    servers, clients = cluster.of("a", "b")
    for _ in range(10):
        clients[1].request("character.spawn", script="characters/wake", name="barry", node="a")
        clients[1].request("character.remove", character="barry")
    settled(cluster, 0.5)
    assert owners(clients[0]) == owners(clients[1]) == {"alan": "a"}
    servers[0].process.kill()
    cluster.wait_until(lambda: owners(clients[1]) == {"alan": "b"})


@pytest.mark.soak
def test_a_request_for_a_character_between_two_nodes_is_not_lost(cluster):
    servers, clients = cluster.of("a", "b")
    servers[0].process.kill()
    time.sleep(0.2)  # the broker notices
    with pytest.raises(RpcError) as failure:
        clients[1].request("character.play", character="alan", clip="walk")
    assert failure.value.code == -32003 and "another one is about to go on with it" in failure.value.message
    cluster.wait_until(lambda: owners(clients[1]) == {"alan": "b"})
    assert clients[1].request("character.play", character="alan", clip="walk")["tick"] > 0


def test_no_late_frame_of_a_frozen_node_reaches_a_client(cluster):
    servers, clients = cluster.of("a", "b")
    direct, other = clients
    for client in clients:
        client.subscribe(characters=["alan"], bones=["Hips"], layout="trs", static=False)
        client.event("stream.frame")
    settled(cluster, 0.3)
    servers[0].process.send_signal(signal.SIGSTOP)
    cluster.wait_until(lambda: owners(other) == {"alan": "b"})
    other.request("character.move", character="alan", position=[50, 0, 0], teleport=True)
    time.sleep(0.3)
    for client in clients:  # what was sent before
        client.drain()
        client.kept.clear()
    servers[0].process.send_signal(signal.SIGCONT)
    servers[0].wait_for_log("alan lives on node b: removed from this one")
    time.sleep(0.5 * PATIENCE)
    for client in clients:
        client.drain()
        frames = client.take("stream.frame")
        assert frames, "those of the new owner, through the old one as well"
        late = [(frame["tick"], hips(frame)[0]) for frame in frames if hips(frame)[0] < 40]
        assert not late, f"{late} of {len(frames)}"
    assert owners(direct) == {"alan": "b"}


@pytest.mark.soak
def test_a_short_standstill_moves_nothing(cluster):
    servers, clients = cluster.of("a", "b")
    clients[1].subscribe(characters=["alan"], bones=["Hips"], static=False)
    clients[1].event("stream.frame")
    servers[0].process.send_signal(signal.SIGSTOP)
    time.sleep(0.6)
    servers[0].process.send_signal(signal.SIGCONT)
    time.sleep(1.0)
    assert owners(clients[0]) == owners(clients[1]) == {"alan": "a"}
    clients[1].drain()
    assert len(clients[1].take("stream.frame")) > 20
