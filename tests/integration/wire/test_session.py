"""Hello, sessions, descriptions and statistics."""
import re
import time

import pytest
from harness import PATIENCE

METHODS = """session.open session.ping server.describe server.stats character.list character.describe character.spawn
    character.remove character.move character.reset character.pose character.release character.play character.stop
    character.call fabric.list fabric.get fabric.set fabric.export world.get world.set world.tornado world.calm
    simulation.pause simulation.resume simulation.step script.list script.reload stream.subscribe stream.unsubscribe""".split()


def test_hello_is_the_first_line_and_says_what_the_page_says(guest):
    assert guest.hello == {
        "name": "tweed", "version": guest.hello["version"], "protocol": 1, "tick_rate": 60, "tick": 0, "time": 0,
        "paused": True, "authentication": "none", "limits": {"message_bytes": 65536, "views": 16, "clients": 256},
    }
    assert re.fullmatch(r"\d+\.\d+\.\d+", guest.hello["version"])


def test_a_session_opens_as_operator(guest):
    assert guest.request("session.open") == {"role": "operator"}
    assert guest.request("session.open", protocol=1, client="pytest", role="operator") == {"role": "operator"}


def test_an_observer_may_look_but_not_touch(guest):
    assert guest.request("session.open", role="observer") == {"role": "observer"}
    guest.request("session.ping")
    guest.request("server.stats")
    guest.request("character.describe", character="alan")
    guest.request("fabric.get", fabric="tweed")
    guest.request("world.get")
    view = guest.subscribe()["view"]
    guest.request("stream.unsubscribe", view=view)
    for method, params in [
        ("character.spawn", {"script": "characters/wake"}), ("character.remove", {"character": "alan"}),
        ("character.move", {"character": "alan", "position": [0, 0, 0]}), ("character.reset", {"character": "alan"}),
        ("character.play", {"character": "alan", "clip": "walk"}), ("character.stop", {"character": "alan"}),
        ("character.call", {"character": "alan", "command": "walk"}),
        ("fabric.set", {"fabric": "tweed", "values": {"damping": 3}}), ("world.set", {"ground": 0}),
        ("world.tornado", {"name": "a", "position": [0, 0, 0], "radius": 1, "strength": 9, "lift": 3}),
        ("world.calm", {"name": "a"}),
        ("simulation.pause", {}), ("simulation.resume", {}), ("simulation.step", {"ticks": 1}),
    ]:
        assert guest.error(method, **params).code == -32002, method
    assert guest.request("session.ping")["tick"] == 0


def test_another_protocol_version_is_refused_naming_both(guest):
    error = guest.error("session.open", protocol=2)
    assert error.code == -32010
    assert "1" in error.message and "2" in error.message


@pytest.mark.parametrize("params, path", [
    ({"role": "admin"}, "params.role"), ({"role": 1}, "params.role"), ({"events": "no"}, "params.events"),
    ({"protocol": "1"}, "params.protocol"), ({"client": 7}, "params.client"),
])
def test_a_bad_session_says_where(guest, params, path):
    error = guest.error("session.open", **params)
    assert (error.code, error.path) == (-32602, path)


def test_events_reach_those_who_did_not_turn_them_off(server):
    loud, quiet = server.client(), server.client()
    quiet.request("session.open", events=False)
    loud.request("world.set", gravity=[0, -5, 0])
    assert loud.event("world.changed")["gravity"] == [0, -5, 0]
    quiet.request("session.ping")
    assert quiet.take() == []


def test_ping_tells_a_monotonic_clock(guest):
    before = guest.request("session.ping")
    time.sleep(0.05)
    after = guest.request("session.ping")
    assert set(before) == {"tick", "time", "monotonic"}
    assert before["tick"] == after["tick"] == 0 and after["time"] == 0
    assert 0.04 < after["monotonic"] - before["monotonic"] < 5


def test_describe_holds_hello_and_the_inventory(guest):
    described = guest.request("server.describe")
    for key, value in guest.hello.items():
        assert described[key] == value, key
    assert sorted(described["methods"]) == sorted(METHODS)
    assert "gltf" in described["axes"]
    assert "tweed" in described["fabrics"]
    assert "characters/wake" in described["scripts"]
    assert described["scene"]["name"]
    camera = described["scene"].get("camera")
    assert camera is None or camera["target"] == "alan"


def test_stats_have_all_their_fields(guest):
    guest.request("session.open", client="pytest")
    view = guest.subscribe()["view"]
    stats = guest.request("server.stats")
    spread = {"p50", "p95", "p99", "max"}
    assert set(stats) == {
        "uptime", "tick", "time", "tick_rate", "paused", "holds", "ticks_skipped", "lateness_ms", "work_ms",
        "characters", "garments", "particles", "asleep", "unstable", "constraint_conflicts", "memory", "clients",
    }
    assert set(stats["lateness_ms"]) == set(stats["work_ms"]) == spread
    assert set(stats["memory"]) == {"resident_bytes", "scripts_bytes"}
    assert stats["memory"]["resident_bytes"] > 1 << 20 and stats["memory"]["scripts_bytes"] > 1 << 10
    assert (stats["paused"], stats["holds"], stats["tick"], stats["tick_rate"]) == (True, 1, 0, 60)
    assert (stats["characters"], stats["garments"]) == (1, 2)
    assert stats["particles"] == 17 * 9 + 2
    me = next(entry for entry in stats["clients"] if entry["client"] == "pytest")
    assert set(me) == {"id", "address", "role", "client", "views", "queued_bytes", "frames_sent", "frames_skipped"}
    assert (me["views"], me["role"]) == (1, "operator")
    assert me["address"].startswith("127.0.0.1")
    guest.request("stream.unsubscribe", view=view)


def test_work_is_measured(server, client):
    client.step(120)
    work = client.request("server.stats")["work_ms"]
    assert 0 < work["p50"] <= work["p95"] <= work["p99"] <= work["max"] < 1000


def test_characters_are_listed(guest):
    (alan,) = guest.request("character.list")
    assert set(alan) == {"name", "script", "revision"}
    assert (alan["name"], alan["script"]) == ("alan", "characters/wake")


@pytest.mark.alone
def test_the_running_server_ticks_at_sixty(start):
    client = start(paused=False).client()
    assert client.hello["paused"] is False
    first = client.request("session.ping")
    time.sleep(2)
    second = client.request("session.ping")
    ideal = (second["monotonic"] - first["monotonic"]) * 60
    skipped = client.request("server.stats")["ticks_skipped"]
    assert abs(second["tick"] - first["tick"] + skipped - ideal) <= 2 * PATIENCE


@pytest.mark.parametrize("rate", [30, 120, 240])
def test_the_tick_rate_is_chosen_at_start(start, rate):
    client = start("--rate", rate).client()
    assert client.hello["tick_rate"] == rate
    client.step(30)
    assert client.request("session.ping")["time"] == pytest.approx(30 / rate)
