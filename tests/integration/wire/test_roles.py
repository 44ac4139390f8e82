"""Roles without tokens, what each method asks for, and one connection too many."""
import json

import pytest
from harness import ROOT, Closed

METHODS = json.loads((ROOT / "protocol/openrpc.json").read_text())["methods"]


def test_every_method_keeps_to_the_role_it_is_described_with(guest):
    assert guest.request("session.open", role="observer") == {"role": "observer"}
    tick = guest.request("session.ping")["tick"]
    allowed = set()
    for method in METHODS:
        name = method["name"]
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
    for method in METHODS:
        family, verb = method["name"].split(".")
        assert (family in families or verb in looks) == (method["name"] in allowed | {"session.open"}), method["name"]


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
    assert error.message == "params.token must be a string from 1 to 1024 bytes"


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
