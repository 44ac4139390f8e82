"""Any view of a recording, as the live server showed it; loops, speeds, HTTP, and recordings that are broken."""
import json
import re
import time

import numpy as np
import pytest
import web
from harness import PATIENCE, Client, run

EVERYTHING = {"particles": True, "references": True, "wrinkles": True, "precision": 7}
VIEWS = [
    {"characters": ["b*"]},
    {"layout": "trs", "bones": ["jacket_*", "H*"], "precision": 3},
    {"kinds": ["skeleton", "pendulum"], "axes": "blender"},
    {"axes": "unreal", "space": "parent", "layout": "trs", "precision": 4, **{"particles": True}},
    {"axes": "unity", "wrinkles": True, "references": True},
    {"axes": "maya", "space": "model", "particles": True},
    {"space": "parent", "precision": 6},
]
TICKS = 6


@pytest.fixture(scope="module")
def shown(_common_server):
    """What a live server shows of one who stands at the origin, in two recorded views and in VIEWS: the notifications."""
    recorded = [{**EVERYTHING, "space": "world"}, {"space": "parent", "axes": "unreal", "layout": "trs", **EVERYTHING}]
    views = [*recorded, *VIEWS]
    with _common_server.client() as client:
        client.request("character.spawn", script="characters/wake", name="bob", params={"clip": "stand"})
        client.step(20)
        replies = [client.subscribe(**{"characters": ["bob"], **view}, policy="queue", mesh=view is recorded[0]) for view in views]
        client.request("simulation.step", ticks=TICKS)
        client.request("world.set", ground=-1)
        client.drain(0.2)
        messages = list(client.kept)
        lines = [[line for line in messages if line["params"].get("view") == reply["view"]] for reply in replies]
        events = [line for line in messages if line["method"] == "world.changed"]
        described = {axes: client.request("character.describe", character="bob", axes=axes, mesh=True)
                     for axes in ("gltf", "unreal")}
        world = client.request("world.get")
        client.request("world.set", ground=0)
        client.request("character.remove", character="bob")
    assert all(len(of_view) == 2 + TICKS for of_view in lines)
    return {"hello": client.hello, "recorded": list(zip(recorded, replies, lines)), "views": lines[2:], "events": events,
            "described": described, "world": world}


def write(path, shown, which=0, change=lambda lines: lines):
    view, reply, messages = shown["recorded"][which]
    head = [{"jsonrpc": "2.0", "method": "server.hello", "params": shown["hello"]},
            {"jsonrpc": "2.0", "id": 1, "method": "stream.subscribe", "params": {**view, "mesh": which == 0}},
            {"jsonrpc": "2.0", "id": 1, "result": reply}]
    lines = [json.dumps(line).encode() for line in head] + [line["raw"] for line in [*messages, *shown["events"]]]
    path.write_bytes(b"".join(line + b"\n" for line in change(lines)))
    return path


@pytest.fixture
def recording(shown, tmp_path):
    return write(tmp_path / "all.ndjson", shown)


def collect(client, view, count=2 + TICKS):
    reply = client.subscribe(**view, policy="queue")
    return reply, [client.next_notification(view=reply["view"]) for _ in range(count)]


def assert_close(live, replayed, tolerance, path=""):
    assert type(live) is type(replayed) or {type(live), type(replayed)} <= {int, float}, path
    if isinstance(live, dict):
        assert list(live) == list(replayed), path
        for key in live:
            if key != "view":
                assert_close(live[key], replayed[key], tolerance, f"{path}.{key}")
    elif isinstance(live, list) and live and not isinstance(live[0], (dict, str)):
        a, b = (np.array(values, dtype=float) for values in (live, replayed))
        assert a.shape == b.shape and np.abs(a - b).max() <= tolerance, (path, np.abs(a - b).max())
    elif isinstance(live, list):
        assert len(live) == len(replayed), path
        for i, (a, b) in enumerate(zip(live, replayed)):
            assert_close(a, b, tolerance, f"{path}[{i}]")
    elif isinstance(live, float):
        assert abs(live - replayed) <= tolerance, path
    else:
        assert live == replayed, path


@pytest.mark.parametrize("which", [0, 1], ids=["of-the-world", "of-parents-in-unreal"])
def test_every_view_is_as_the_live_server_showed_it(serve, shown, tmp_path, which):
    replay = serve(write(tmp_path / "all.ndjson", shown, which))
    for number, (view, live) in enumerate(zip(VIEWS, shown["views"])):
        with Client(replay.address) as client:
            reply, lines = collect(client, view)
            assert reply["characters"] == ["bob"] and reply["view"] > shown["recorded"][which][1]["view"]
        tolerance = (100 if view.get("axes") in ("unreal", "maya") else 1) * 1.5 * 10 ** -view.get("precision", 5)
        for a, b in zip(live, lines):
            assert (a["method"], a["params"]["tick"] if "tick" in a["params"] else 0) == \
                (b["method"], b["params"]["tick"] if "tick" in b["params"] else 0)
            assert_close(a["params"], b["params"], max(tolerance, 2e-5), f"view {number}")


def test_views_are_shared_replaced_and_ended(serve, recording, shown):
    replay = serve(recording)
    own = shown["recorded"][0][1]["view"]
    with Client(replay.address) as one, Client(replay.address) as other:
        (seven, lines), (same, others) = collect(one, VIEWS[3]), collect(other, VIEWS[3], 2)
        assert seven == same and lines[-1]["raw"] == others[-1]["raw"], "one encoding for both"
        eight = one.subscribe(layout="trs")["view"]
        assert len({own, seven["view"], eight}) == 3
        assert one.subscribe(layout="trs", rate=10)["view"] == eight, "replaced"
        assert one.subscribe(**EVERYTHING)["view"] == own, "the recorded view has its number"
        assert one.subscribe(**EVERYTHING, characters=["b*"])["view"] not in (own, seven["view"], eight)
        entry = next(entry for entry in other.request("server.stats")["clients"] if entry["views"] == 4)
        assert entry["frames_sent"] >= TICKS and entry["role"] == "observer"
        assert one.request("stream.unsubscribe", view=eight).keys() == {"tick"}
        assert one.error("stream.unsubscribe", view=eight).message == f"this connection has no view {eight}"
        for number in range(13):
            one.subscribe(bones=[f"b{number}"])
        assert one.error("stream.subscribe", bones=["c"]).message == "this connection has 16 views, the most it can have"
        assert other.subscribe(bones=["b0"])["characters"] == ["bob"]


@pytest.mark.parametrize("part, by, reason", [
    (b'"bones":["Hips",', b'"bones":[', 'line 4: expected all bones: record it without "bones" and "kinds"'),
    (b',"description":{', b',"descriptio":{', 'line 4: expected a description: record it without "static":false'),
    (b'"parent":0,', b'"parent":7,', "line 4: bones[1].parent: expected an integer from -1 to 0"),
])
def test_what_other_views_need(serve, shown, tmp_path, part, by, reason):
    def change(lines):
        assert part in lines[3]
        return [*lines[:3], lines[3].replace(part, by, 1), *lines[4:]]

    path = write(tmp_path / "part.ndjson", shown, change=change)
    with Client(serve(path, holds_contract=False).address) as client:
        error = client.error("stream.subscribe", layout="trs")
        assert (error.code, error.path) == (-32003, "params")
        assert error.message == f"only the recorded view, which server.hello has as view, can be served: {reason}"
        assert len(collect(client, EVERYTHING)[1]) == 2 + TICKS


def test_requests_are_answered_as_by_the_live_server(serve, shown, recording):
    with Client(serve(recording).address) as client:
        assert client.request("world.get") == {"gravity": [0, -9.81, 0], "ground": 0, "tornados": [],
                                               "wind": {"velocity": [0, 0, 0], "turbulence": 0, "gust": 0}}
        collect(client, EVERYTHING)
        client.event("world.changed")
        assert client.request("world.get") == shown["world"]
        assert client.request("character.list") == [{"name": "bob", "script": "characters/wake", "revision":
                                                     shown["described"]["gltf"]["revision"]}]
        assert client.request("character.describe", character="bob", mesh=True) == shown["described"]["gltf"]
        assert_close(shown["described"]["unreal"],
                     client.request("character.describe", character="bob", mesh=True, axes="unreal"), 2e-5)
        assert "meshes" not in client.request("character.describe", character="bob")
        server = client.request("server.describe")
        assert (server["scene"], server["scripts"], server["fabrics"]) == ({"name": "all.ndjson"}, [], [])
        assert client.request("script.list") == []
        stats = client.request("server.stats")
        assert (stats["characters"], stats["garments"], stats["tick"]) == (1, 2, client.request("session.ping")["tick"])
        assert stats["particles"] == sum(len(each["rest"]) // 3 for each in shown["described"]["gltf"]["garments"])


@pytest.mark.parametrize("view", [EVERYTHING, {"layout": "trs"}], ids=["recorded", "computed"])
def test_a_loop_goes_on_with_growing_ticks(serve, shown, recording, view):
    first = json.loads(shown["recorded"][0][2][-1 - TICKS]["raw"])["params"]["tick"]
    with Client(serve(recording, "--loop").address) as client:
        number = client.subscribe(**view, policy="queue")["view"]
        frames, statics = [], 0  # the description stays as it is
        while len(frames) < 3 * (TICKS + 1):
            line = client.read()
            if line["method"] == "stream.frame":
                assert line["params"]["view"] == number
                frames.append(line["params"])
            statics += line["method"] == "stream.static"
            if line["method"] == "world.changed":
                assert line["params"]["tick"] >= frames[-1]["tick"] and line["params"]["ground"] == -1
        assert statics == 1
        assert [frame["tick"] for frame in frames] == list(range(first, first + 3 * (TICKS + 1)))
        assert all(frame["time"] == pytest.approx(frame["tick"] / 60, abs=1e-12) for frame in frames)
        for before, after in zip(frames, frames[TICKS + 1:]):
            assert before["bones"] == after["bones"]
        assert client.request("session.ping")["tick"] >= frames[-1]["tick"]


def test_who_comes_in_the_middle_goes_at_the_end_of_a_round(serve, shown, tmp_path):
    def change(lines):
        late = [line.replace(b'"character":"bob"', b'"character":"eve"') for line in (lines[3], lines[-3], lines[-2])]
        return [*lines[:-2], *late]

    path = write(tmp_path / "two.ndjson", shown, 1, change)
    with Client(serve(path, "--loop", "--speed", "3").address) as client:
        client.subscribe(policy="queue")
        seen = [client.next_notification(character="eve") for _ in range(7)]
        assert [line["method"] for line in seen] == ["stream.static", "stream.frame", "stream.frame", "character.removed",
                                                     "stream.static", "stream.frame", "stream.frame"]
        assert seen[2]["params"]["tick"] < seen[3]["params"]["tick"] < seen[5]["params"]["tick"]


@pytest.mark.alone
@pytest.mark.parametrize("speed", [0.25, 2])
def test_speed(serve, shown, tmp_path, speed):
    path = write(tmp_path / "small.ndjson", shown, 1)
    with Client(serve(path, "--speed", speed).address) as client:
        begun = time.monotonic()
        client.subscribe(bones=["Hips"], static=False, policy="queue")
        for _ in range(TICKS + 1):
            client.next_notification("stream.frame")
        taken = (time.monotonic() - begun) * speed
        assert TICKS / 60 <= taken <= TICKS / 60 + 0.2 * speed * PATIENCE


@pytest.mark.parametrize("value", ["0", "0.009", "101", "fast"])
def test_a_speed_out_of_range(recording, value):
    result = run("replay", recording, "--speed", value)
    assert result.returncode == 2 and "tweed: --speed: expected a number from" in result.stderr


def test_http_has_the_page_and_a_websocket(serve, recording):
    replay = serve(recording)
    page = web.get(replay)
    assert page.status == 200 and page.headers["content-type"].startswith("text/html") and b"tweed" in page.body
    assert json.loads(web.get(replay, "/openrpc.json").body)["openrpc"] == "1.3.2"
    assert json.loads(web.get(replay, "/healthz").body) == {"status": "ok", "tick": 20, "paused": False}
    assert web.get(replay, "/metrics").status == 404
    socket = web.WebSocket(replay)
    assert len(collect(socket, {"layout": "trs"})[1]) == 2 + TICKS
    busy = run("replay", recording, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:%d" % replay.ports["http"])
    assert busy.returncode == 1 and "in use" in busy.stderr
    assert "http" not in serve(recording, "--no-http").ports


# Hand-edited lines: part of the line, in its place, and whether frames of computed views still come.
BROKEN = [
    (3, rb'"rest":\[[^]]*\]', b'"rest":[1e999]'),
    (3, rb'"joints":\[1', b'"joints":[999999'),
    (3, rb'"colliders":\[', b'"colliders":[5,{},'),
    (3, rb'"name":"bob"', b'"name":"' + b"x" * 5000 + b'"'),
    (3, rb'"params":\{', b'"params":[{'),
    (5, rb'"bones":\[\[', b'"bones":[[1e38,'),
    (5, rb'"bones":\[\[[^]]*\]', b'"bones":[[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]'),
    (5, rb'"bones":\[\[[^]]*\]', b'"bones":[[1e12,1e12,1e12,1e12,1e12,1e12,1e12,1e12,1e12,1e12,1e12,1e12,1e12,1e12,1e12,1e12]'),
    (5, rb'"bones":.*', b'"bones":7}}'),
    (5, rb'"particles":\{', b'"particles":{"x":[1],'),
    (5, rb'"tick":\d+', b'"tick":9007199254740992'),
    (5, rb'"revision":\d+', b'"revision":"new"'),
    (-1, rb'"ground":-1', b'"ground":1e999'),
    (-1, rb'"params":\{', b'"params":[{'),
    (0, rb'"limits":', b'"limits":null,"other":'),
]


@pytest.mark.parametrize("line, part, by", BROKEN)
def test_a_broken_recording_breaks_nothing(serve, shown, tmp_path, line, part, by):
    which = 0 if b"joints" in part else 1  # with meshes; of parents

    def change(lines):
        changed = re.sub(part, lambda _: by, lines[line], count=1)
        assert changed != lines[line]
        return [changed if whole is lines[line] else whole for whole in lines]

    path = write(tmp_path / "broken.ndjson", shown, which, change)
    try:
        replay = serve(path, "--speed", "100", holds_contract=False)
    except AssertionError:
        assert "broken.ndjson:" in run("replay", path, "--listen", "127.0.0.1:0", "--no-http").stderr
        return
    requests = [("stream.subscribe", view) for view in (shown["recorded"][which][0], VIEWS[3], VIEWS[5])]
    requests += [(method, {}) for method in ("server.describe", "server.stats", "world.get", "character.list")]
    requests += [("character.describe", {"character": "bob", "mesh": True, "axes": "maya"})]
    with Client(replay.address) as client:
        client.next_id = 1000
        for number, (method, params) in enumerate(requests):
            client.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        client.drain(0.2 * PATIENCE)
        assert len([message for message in client.kept if "id" in message]) == len(requests)
        assert client.request("session.ping")
    assert replay.poll() is None
