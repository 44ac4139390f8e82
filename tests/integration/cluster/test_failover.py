"""What becomes of the characters of a node that dies, leaves or freezes."""
import signal
import time

import pytest
from brokers import owners
from counter import append, appended, counters, write_counter
from harness import PATIENCE, SANITIZED, RpcError


def hips(frame):
    return frame["bones"][0][:3]


def settled(cluster, **states):
    """Waits until the broker has each character, by name, near that x, with that clip where one is given."""
    def is_put(name, x, clip=None):
        state = cluster.broker.state(name)
        return "position" in state and abs(state["position"][0] - x) < 1 and \
            clip in (None, state.get("clip", {}).get("name"))

    for name, wanted in states.items():
        cluster.wait_until(lambda name=name, wanted=wanted: is_put(name, *wanted))


def test_characters_of_a_dead_node_go_on_elsewhere(cluster):
    servers, clients = cluster.of("a", "b", "c")
    watcher = clients[1]
    watcher.request("character.spawn", script="characters/wake", name="barry", node="a", position=[3, 0, 0],
                    params={"mood": "calm"})
    guests = {f"guest {i}": (3 * i + 6, "walk") for i in range(6)}
    for name, (x, _) in guests.items():
        watcher.request("character.spawn", script="characters/wake", name=name, node="a", position=[x, 0, 0])
    for name in ("barry", *guests):
        watcher.request("character.play", character=name, clip="walk", loop=True)
    watcher.subscribe(bones=["Hips"], layout="trs", static=False)
    settled(cluster, barry=(3, "walk"), **guests)
    watcher.drain()
    watcher.kept.clear()
    last = {}
    while len(last) < 8:
        frame = watcher.event("stream.frame")
        last[frame["character"]] = frame
    begin = time.monotonic()
    servers[0].process.kill()
    gaps, first, described = {}, {}, set()
    while len(gaps) < 8:
        message = watcher.next_notification()
        name = message["params"].get("character")
        if message["method"] == "stream.static":  # by the new owner
            described.add(name)
        elif message["method"] == "stream.frame" and name in described and name not in gaps:
            gaps[name] = time.monotonic() - begin
            first[name] = message["params"]
    assert SANITIZED or max(gaps.values()) < 3.5, gaps
    where = owners(watcher)
    assert where.keys() == last.keys() and set(where.values()) == {"b", "c"}, "shared out"
    assert watcher.request("character.describe", character="barry")["params"] == {"mood": "calm"}
    for name, frame in first.items():
        assert sum((a - b) ** 2 for a, b in zip(hips(frame), hips(last[name]))) < 2 ** 2, "about where it was"
    assert hips(first["barry"])[0] > 2
    before = hips(watcher.event("stream.frame", character="barry"))[2]
    cluster.wait_until(lambda: hips(watcher.event("stream.frame", character="barry"))[2] > before + 0.2)  # it walks on


def test_a_node_that_leaves_hands_its_characters_over(cluster):
    servers, clients = cluster.of("a", "b")
    clients[1].request("character.spawn", script="characters/wake", name="barry", node="a", position=[3, 0, 0])
    settled(cluster, barry=(3,))
    status, seconds = servers[0].stop()
    assert status == 0 and seconds < 3 * PATIENCE
    cluster.wait_until(lambda: owners(clients[1]) == {"alan": "b", "barry": "b"})
    assert cluster.eventually(clients[1], "character.play", character="barry", clip="walk")["tick"] > 0


@pytest.mark.soak
def test_a_node_that_starts_again_has_its_characters_again(cluster):
    servers, clients = cluster.of("a")
    clients[0].request("character.spawn", script="characters/wake", name="barry", position=[3, 0, 0])
    settled(cluster, barry=(3,))
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
    assert failure.value.code == -32003 and failure.value.message.startswith("no node has the character at this moment: ")
    cluster.wait_until(lambda: owners(clients[1]) == {"alan": "b"})
    assert cluster.eventually(clients[1], "character.play", character="alan", clip="walk")["tick"] > 0


def test_no_late_frame_of_a_frozen_node_reaches_a_client(cluster):
    servers, clients = cluster.of("a", "b")
    direct, other = clients
    for client in clients:
        client.subscribe(characters=["alan"], bones=["Hips"], layout="trs", static=False)
        client.event("stream.frame")
    servers[0].process.send_signal(signal.SIGSTOP)
    cluster.wait_until(lambda: owners(other) == {"alan": "b"})
    cluster.eventually(other, "character.move", character="alan", position=[50, 0, 0], teleport=True)
    while hips(other.event("stream.frame"))[0] < 40:  # what was sent before
        pass
    direct.drain()
    direct.kept.clear()
    servers[0].process.send_signal(signal.SIGCONT)
    servers[0].wait_for_log("alan lives on node b: removed from this one")
    for client in clients:  # those of the new owner come through the old one as well
        messages = [client.next_notification() for _ in range(60)]
        if client is other:
            assert "character.removed" not in [message["method"] for message in messages], "it lives"
        seen = [message["params"] for message in messages if message["method"] == "stream.frame"]
        assert len(seen) > 30
        late = [(frame["tick"], hips(frame)[0]) for frame in seen if hips(frame)[0] < 40]
        assert not late, f"{late} of {len(seen)}"
    assert owners(direct) == {"alan": "b"}


def refusal(client):
    with pytest.raises(RpcError) as failure:
        client.request("character.play", character="alan", clip="walk")
    assert failure.value.code == -32003
    return failure.value.message


def test_what_one_node_cannot_take_goes_on_on_another(cluster, tmp_path):
    """Of two nodes that live on one lacks the script. While it is alone, the characters wait."""
    for folder in ("with", "without"):
        (tmp_path / folder).mkdir()
    scene = write_counter(tmp_path / "with")
    empty = tmp_path / "without/scene.lua"
    empty.write_text('return require "tweed".scene {}')
    servers = [cluster.start("a", scene=scene), cluster.start("lacking", scene=empty)]
    clients = [server.client() for server in servers]
    names = {"alan", *(f"counter {i}" for i in range(5))}
    for name in names - {"alan"}:
        clients[0].request("character.spawn", script="characters/counter", name=name, node="a")
    append(clients[0], "before", 0)
    cluster.wait_until(lambda: all("saved" in cluster.broker.state(name) for name in names))
    cluster.wait_until(lambda: "before0" in cluster.broker.state("alan")["saved"]["appended"])
    servers[0].process.kill()
    for name in names:
        servers[1].wait_for_log(f"error: {name} cannot go on here, and is left to the other nodes: "
                                'no script "characters/counter"')
    cluster.wait_until(lambda: refusal(clients[1]) == "no node can take the character over at present")
    error = clients[1].error("character.spawn", script="characters/wake", name="alan", node="lacking")
    assert (error.code, error.path) == (-32003, "params.name"), "it waits"
    other = cluster.start("other", "--scripts", tmp_path / "with", scene=empty).client()
    cluster.wait_until(lambda: owners(clients[1]) == dict.fromkeys(names, "other"))
    look = cluster.eventually(other, "character.call", character="alan", command="look")
    assert look["result"]["appended"].split() == ["before0"]


def test_a_full_node_takes_nothing_over(cluster, tmp_path):
    scene = write_counter(tmp_path)
    other = tmp_path / "other.lua"
    other.write_text(scene.read_text().replace("alan", "barry"))
    servers = [cluster.start("a", scene=scene), cluster.start("full", "--max-characters", "1", scene=other)]
    client = servers[1].client()
    cluster.wait_until(lambda: owners(client) == {"alan": "a", "barry": "full"})
    cluster.wait_until(lambda: "saved" in cluster.broker.state("alan"))
    servers[0].process.kill()
    servers[1].wait_for_log("error: alan cannot go on here, and is left to the other nodes: there are 1 characters "
                            "already, the most there can be")
    cluster.wait_until(lambda: refusal(client) == "no node can take the character over at present", 8)
    client.request("character.remove", character="barry")
    cluster.wait_until(lambda: owners(client) == {"alan": "full"}, 8)


def test_a_character_that_has_spawned_others_goes_on(cluster, tmp_path):
    """They are there already when its on_spawn runs again."""
    scene = write_counter(tmp_path)
    (tmp_path / "characters/parent.lua").write_text("""local tweed = require "tweed"
return tweed.character {
  skeleton = tweed.skeleton { { name = "Hips", position = { 0, 1, 0 } } },
  on_spawn = function(self)
    for i = 1, 2 do tweed.spawn { script = "characters/counter", name = self.name .. " " .. i } end
  end,
}
""")
    servers = [cluster.start(name, scene=scene) for name in "abc"]
    client = servers[0].client()
    cluster.wait_until(lambda: cluster.nodes(client) == ["a", "b", "c"])
    client.request("character.spawn", script="characters/parent", name="parent", node="c")
    cluster.wait_until(lambda: owners(client).get("parent 2") == "c")
    client.request("cluster.move", character="parent 1", node="b")
    cluster.wait_until(lambda: all("position" in cluster.broker.state(name) for name in ("parent", "parent 2")))
    servers[2].process.kill()
    cluster.wait_until(lambda: set(owners(client)) == {"alan", "parent", "parent 1", "parent 2"}
                       and "c" not in owners(client).values())
    time.sleep(0.5 * PATIENCE)
    cluster.eventually(client, "character.move", character="parent", position=[1, 0, 0])


@pytest.mark.soak
def test_a_node_that_was_frozen_serves_no_requests_for_what_it_has_lost(cluster, tmp_path):
    """Else each request through the third node would be served twice."""
    servers, clients = counters(cluster, tmp_path)
    servers[0].process.send_signal(signal.SIGSTOP)
    cluster.wait_until(lambda: owners(clients[1]).get("alan", "a") != "a")
    servers[0].process.send_signal(signal.SIGCONT)
    owner = owners(clients[1])["alan"]
    cluster.wait_until(lambda: owners(clients[0]).get("alan") == owner)
    servers[0].wait_for_log(f"alan lives on node {owner}: removed from this one")
    third = clients["abc".index("b" if owner == "c" else "c")]
    for i in range(20):
        append(third, "n", i)
    assert appended(third) == [f"n{i}" for i in range(20)]


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_the_first_request_after_a_failover_finds_what_was_saved(cluster, tmp_path, end):
    """A node that ends in order saves all; one that dies what it had a moment ago."""
    servers, clients = counters(cluster, tmp_path)
    for i in range(5):
        append(clients[1], "before", i)
    if end == signal.SIGKILL:
        cluster.wait_until(lambda: "before4" in cluster.broker.state("alan").get("saved", {}).get("appended", ""))
    servers[0].process.send_signal(end)
    servers[0].process.wait()
    cluster.eventually(clients[2], "character.call", character="alan", command="append",
                       arguments={"name": "after", "number": 0})
    look = cluster.eventually(clients[1], "character.call", character="alan", command="look")  # b may learn of it later
    assert look["result"]["appended"].split() == [*(f"before{i}" for i in range(5)), "after0"]


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
    assert len(clients[1].take("stream.frame")) > 20 / PATIENCE


KEEPER = """local tweed = require "tweed"
local word
local points = {}
for row = 0, 3 do
  for column = 0, 5 do
    local turn = 1.1 * column
    points[#points + 1] = { .2 * math.sin(turn), 1 - .1 * row, .2 * math.cos(turn) }
  end
end
return tweed.character {
  skeleton = tweed.skeleton { { name = "Hips", position = { 0, 1, 0 } },
                              { name = "Head", parent = "Hips", position = { 0, .6, 0 } } },
  garments = { tweed.cloth { name = "skirt", fabric = "tweed", rows = 4, columns = 6, positions = points,
                             attach = "Hips" } },
  seams = { tweed.seam { "skirt", name = "front", column = 0, to = { "skirt", column = 5 }, rows = { 1, 2 },
                         closed = false } },
  on_save = function() return { word = word } end,
  on_restore = function(_, saved) word = saved.word end,
  commands = {
    set = { run = function(_, arguments) word = arguments.word end },
    get = { run = function() return { word = word } end },
  },
}
"""


def test_poses_seams_values_and_what_scripts_save_go_on(cluster, tmp_path):
    (tmp_path / "scene.lua").write_text("""local tweed = require "tweed"
return tweed.scene { spawn = { { script = "characters/keeper", name = "alan" } } }
""")
    (tmp_path / "characters").mkdir()
    (tmp_path / "characters/keeper.lua").write_text(KEEPER)
    servers = [cluster.start(name, scene=tmp_path / "scene.lua") for name in "ab"]
    clients = [server.client() for server in servers]
    cluster.wait_until(lambda: cluster.nodes(clients[0]) == cluster.nodes(clients[1]) == ["a", "b"])
    client = clients[1]
    client.request("character.call", character="alan", command="set", arguments={"word": "Barry"})
    client.request("character.pose", character="alan", space="model", sequence=3,
                   bones={"Head": {"position": [0, 3, 0], "rotation": [0, 0, 0, 1]}})
    client.request("fabric.set", character="alan", garment="skirt", values={"damping": 7})
    client.request("seam.set", character="alan", seam="front", closed=True)

    def is_put():
        state = cluster.broker.state("alan")
        return (state.get("seams") == {"front": True} and state.get("saved") == {"word": "Barry"}
                and state.get("garments") == {"skirt": {"damping": 7}}
                and [posed["bone"] for posed in state.get("pose", [])] == ["Head"])

    cluster.wait_until(is_put)
    servers[0].process.kill()
    cluster.wait_until(lambda: owners(client) == {"alan": "b"}, 20)
    cluster.wait_until(lambda: client.request("seam.list", character="alan")[0]["closed"])
    assert client.request("character.call", character="alan", command="get")["result"] == {"word": "Barry"}
    assert client.request("fabric.get", character="alan", garment="skirt")["values"]["damping"]["value"] == 7
    client.subscribe(characters=["alan"], bones=["Head"], space="model", layout="trs")
    for _ in range(3):
        assert client.event("stream.frame")["bones"][0][:3] == [0, 3, 0]
