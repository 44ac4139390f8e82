"""Hello, sessions and their roles, descriptions and statistics. test_tokens.py has servers that ask for a token."""
import re
import time

import pytest
from contract import METHODS
from harness import PATIENCE, Closed



def test_a_name_of_two_lines_is_one_in_the_log(start):
    server = start("--log", "debug")
    client = server.client()
    client.request("session.open", client="one\ntwo")
    client.close()
    server.wait_for_log("(one two, 127.0.0.1:")


def test_hello_is_the_first_line_and_says_what_the_page_says(guest):
    assert guest.hello == {
        "name": "tweed", "version": guest.hello["version"], "commit": guest.hello["commit"],
        "build": guest.hello["build"], "protocol": 1, "tick_rate": 60, "tick": 0, "time": 0,
        "paused": True, "authentication": "none", "limits": {"message_bytes": 65536, "views": 16, "clients": 256},
    }
    assert re.fullmatch(r"\d+\.\d+\.\d+", guest.hello["version"])


def test_a_session_opens_as_operator(guest):
    assert guest.request("session.open") == {"role": "operator"}
    assert guest.request("session.open", protocol=1, client="pytest", role="operator") == {"role": "operator"}


def test_another_protocol_version_is_refused_naming_both(guest):
    error = guest.error("session.open", protocol=2)
    assert error.code == -32010
    assert "1" in error.message and "2" in error.message


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
        "characters", "garments", "particles", "asleep", "unstable", "constraint_conflicts",
        "spring_excess", "levels", "frame_interval", "memory", "clients",
    }
    assert set(stats["lateness_ms"]) == set(stats["work_ms"]) == spread
    assert set(stats["memory"]) == {"resident_bytes", "scripts_bytes"}
    assert stats["memory"]["resident_bytes"] > 1 << 20 and stats["memory"]["scripts_bytes"] > 1 << 10
    assert (stats["paused"], stats["holds"], stats["tick"], stats["tick_rate"]) == (True, 1, 0, 60)
    assert (stats["characters"], stats["garments"]) == (1, 2)
    assert stats["particles"] == 26 * 9 + 2
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


# --- roles ---


def test_every_method_keeps_to_the_role_it_is_described_with(guest):
    assert guest.request("session.open", role="observer") == {"role": "observer"}
    tick = guest.request("session.ping")["tick"]
    allowed = set()
    for name, method in METHODS.items():
        if name == "session.open":
            continue
        identifier = guest.start(name, no_such_parameter=1)
        error = guest.read()
        assert error["id"] == identifier
        if method["x-role"] == "operator":  # before its parameters are looked at
            assert error["error"] == {
                "code": -32002, "message": f"{name} needs the role operator; this connection is an observer",
                "data": {"path": "method"}}
        else:
            allowed.add(name)
            assert (error["error"]["code"], error["error"]["data"]["path"]) == (-32602, "params.no_such_parameter")
    assert guest.request("session.ping")["tick"] == tick
    families = {"session", "server", "stream"}
    looks = {"list", "describe", "get", "stats", "export"}
    for name in METHODS:
        family, verb = name.split(".")
        assert (family in families or verb in looks) == (name in allowed | {"session.open"}), name


def test_a_role_may_be_taken_back_to_what_was_granted(guest):
    assert guest.request("session.open", role="observer") == {"role": "observer"}
    assert guest.error("session.open", protocol=2, role="operator").code == -32010
    assert guest.error("world.set", ground=0).code == -32002, "nothing of a refused session.open takes effect"
    assert guest.request("session.open", role="operator") == {"role": "operator"}
    assert guest.request("world.set", ground=0).keys() == {"tick"}


def test_a_token_that_nobody_asked_for_changes_nothing(guest):
    assert guest.hello["authentication"] == "none"
    assert guest.request("session.open", token="unasked") == {"role": "operator"}


@pytest.mark.parametrize("token", [17, "", "secret" * 200], ids=["a number", "empty", "long"])
def test_no_error_repeats_a_token(guest, token):
    error = guest.error("session.open", token=token)
    assert (error.code, error.path) == (-32602, "params.token")
    assert error.message == "params.token must be a string from 1 to 512 bytes"


def test_observers_are_refused_in_batches_and_notifications_too(guest):
    guest.request("session.open", role="observer", events=False)
    guest.notify("world.set", ground=7)
    guest.send([{"jsonrpc": "2.0", "method": "world.set", "params": {"ground": 8}},
                {"jsonrpc": "2.0", "id": 1, "method": "world.set", "params": {"ground": 9}}])
    (refused,) = guest.read()
    assert refused["error"]["code"] == -32002
    assert guest.request("world.get")["ground"] not in (7, 8, 9)


def test_one_connection_too_many_gets_one_line_in_place_of_hello(start):
    server = start("--max-clients", 3)
    clients = [server.client() for _ in range(3)]
    assert clients[0].hello["limits"]["clients"] == 3
    refused = server.client(read_hello=False)
    assert refused.read() == {"jsonrpc": "2.0", "id": None, "error": {
        "code": -32003, "message": "there are 3 connections already, the most there can be"}}
    with pytest.raises(Closed):
        refused.read_line()
    assert len(clients[0].request("server.stats")["clients"]) == 3
    clients.pop().close()
    for _ in range(200):
        client = server.client(read_hello=False)
        if client.read().get("method") == "server.hello":
            break
    else:
        raise AssertionError("its place was not free again")
    assert client.request("session.open") == {"role": "operator"}
