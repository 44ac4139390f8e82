"""JSON-RPC itself: ids, batches, and every kind of bad input answered with its code, connection alive."""
import json
import signal

import pytest
from harness import Closed

LIMIT = 65536


def answer(client, data):
    client.send_bytes(data)
    return json.loads(client.read_line())


def assert_alive(client):
    assert client.request("session.ping")["tick"] >= 0


def assert_error(client, data, code, identifier=None):
    reply = answer(client, data)
    assert reply["jsonrpc"] == "2.0"
    assert (reply["error"]["code"], reply["id"]) == (code, identifier), reply
    assert reply["error"]["message"]
    assert_alive(client)
    return reply["error"]


@pytest.mark.parametrize("identifier", [
    b'1', b'-7', b'0', b'"abc"', b'12345678901234567890123', b'1.50', b'1e2', rb'"\u00e9\n"', '"é"'.encode(), b'""',
])
def test_ids_come_back_as_the_text_they_came_in(guest, identifier):
    guest.send_bytes(b'{"jsonrpc":"2.0","id":' + identifier + b',"method":"session.ping"}\n')
    assert b'"id":' + identifier + b"," in guest.read_line() + b","


def test_requests_are_answered_in_order(guest):
    identifiers = [guest.start("session.ping") for _ in range(1000)]
    for identifier in identifiers:
        guest.finish(identifier)


def test_a_notification_is_not_answered(guest):
    guest.notify("session.ping")
    guest.notify("no.such.method")
    guest.notify("character.move", character="nobody")
    assert_alive(guest)
    assert all(m["method"] == "log" for m in guest.kept)


def test_a_batch_is_answered_as_one(guest):
    reply = answer(guest, b'[{"jsonrpc":"2.0","id":1,"method":"session.ping"},'
                          b'{"jsonrpc":"2.0","method":"session.ping"},5,'
                          b'{"jsonrpc":"2.0","id":"x","method":"no.such"}]\n')
    assert isinstance(reply, list)
    assert [(entry["id"], entry.get("error", {}).get("code")) for entry in sorted(
        reply, key=lambda entry: str(entry["id"]))] == [(1, None), (None, -32600), ("x", -32601)]


def test_an_empty_batch_is_no_request(guest):
    assert_error(guest, b"[]\n", -32600)


def test_a_batch_of_notifications_is_not_answered(guest):
    guest.send_bytes(b'[{"jsonrpc":"2.0","method":"session.ping"}]\n')
    assert_alive(guest)


@pytest.mark.parametrize("data", [
    b'{', b'{"jsonrpc":"2.0",}', b'nonsense', b'{"jsonrpc":"2.0","id":1,"method":"session.ping"} x',
    b'{"jsonrpc":"2.0","id":1,"method":"session.ping"}{}', b"{'id':1}", b'{"id":01}', b'[1,2', b'{"a":NaN}',
    b'{"a":Infinity}', b'{"a":-}', b'{"a":1.}', b'"\\x"', b'"\\ud800"',
])
def test_bad_json_is_a_parse_error(guest, data):
    assert_error(guest, data + b"\n", -32700)


@pytest.mark.parametrize("data", [
    b'{"jsonrpc":"2.0","id":1,"method":"session.ping\xff"}', b'"\xc0\x80"', b'"\xed\xa0\x80"', b'"\xf5\x80\x80\x80"',
    b'"\xe2\x82"', b'{"jsonrpc":"2.0","id":1,"method":"session.ping\x00"}', b'"a\\u0000b"', b"[" * 65 + b"]" * 65,
    b'{"a":' * 70 + b"1" + b"}" * 70, b'"tab\there"',
], ids=["byte ff", "overlong", "surrogate", "past unicode", "cut short", "NUL", "escaped NUL", "65 arrays", "70 objects",
        "control character"])
def test_bad_text_is_a_parse_error(guest, data):
    assert_error(guest, data + b"\n", -32700)


@pytest.mark.parametrize("data", [
    b'5', b'"session.ping"', b'null', b'true', b'{}', b'{"id":1,"method":"session.ping"}',
    b'{"jsonrpc":"1.0","id":null,"method":"session.ping"}', b'{"jsonrpc":2,"method":"session.ping"}',
])
def test_what_is_no_request_is_an_invalid_request(guest, data):
    reply = answer(guest, data + b"\n")
    assert reply["error"]["code"] == -32600
    assert_alive(guest)


@pytest.mark.parametrize("data", [
    b'{"jsonrpc":"2.0","id":3}', b'{"jsonrpc":"2.0","id":3,"method":5}', b'{"jsonrpc":"2.0","id":3,"method":null}',
])
def test_a_request_without_a_method_is_invalid(guest, data):
    assert answer(guest, data + b"\n")["error"]["code"] == -32600
    assert_alive(guest)


@pytest.mark.parametrize("identifier", [b"{}", b"[1]", b"true"])
def test_an_id_is_a_string_or_a_number(guest, identifier):
    assert_error(guest, b'{"jsonrpc":"2.0","id":' + identifier + b',"method":"session.ping"}\n', -32600)


def test_an_empty_line_is_passed_over_or_told(guest):
    guest.send_bytes(b"\n")
    guest.send({"jsonrpc": "2.0", "id": 9, "method": "session.ping"})
    reply = guest.read()
    if "error" in reply:
        assert reply["error"]["code"] == -32700
        reply = guest.read()
    assert reply["id"] == 9


@pytest.mark.parametrize("method", ["no.such.method", "session.pin", "", "character.spwan", "fabric.exports",
                                    "Session.ping", "stream.frame", "server.hello"])
def test_an_unknown_method_is_told(guest, method):
    error = guest.error(method)
    assert error.code == -32601


def test_an_unknown_method_names_itself(guest):
    assert "session.pin" in guest.error("session.pin").message


@pytest.mark.parametrize("params", [b"[]", b'["alan"]', b"5", b'"alan"', b"null", b"true"])
def test_params_are_by_name(guest, params):
    assert_error(guest, b'{"jsonrpc":"2.0","id":4,"method":"character.describe","params":' + params + b"}\n", -32602, 4)


def test_a_message_over_the_limit_is_drained_and_answered(guest):
    error = assert_error(guest, b'{"jsonrpc":"2.0","id":1,"method":"session.ping","x":"' + b"a" * LIMIT + b'"}\n', -32600)
    assert str(LIMIT) in error["message"].replace(",", "")


def test_a_message_of_a_megabyte_is_drained_and_answered(guest):
    assert_error(guest, b"x" * (1 << 20) + b"\n", -32600)


def test_a_message_just_within_the_limit_is_served(guest):
    shell = b'{"jsonrpc":"2.0","id":8,"method":"session.ping","params":{}%s}'
    reply = answer(guest, shell % (b" " * (LIMIT - len(shell) + 2 - 16)) + b"\n")
    assert reply["id"] == 8 and "result" in reply


def test_too_many_values_are_counted_before_parsing(guest):
    assert_error(guest, b"[" + b"0," * 8300 + b"0]\n", -32600)


def test_a_request_in_pieces_is_one_request(guest):
    for byte in b'{"jsonrpc":"2.0","id":6,"method":"session.ping"}\r\n':
        guest.send_bytes(bytes([byte]))
    assert json.loads(guest.read_line())["id"] == 6


def test_half_a_line_and_a_disconnect_harm_nobody(common):
    with common.client() as half:
        half.send_bytes(b'{"jsonrpc":"2.0","id":6,"meth')
    with common.client() as other:
        assert_alive(other)


@pytest.mark.parametrize("first_line", [
    b"POST / HTTP/1.1\r\n", b"GET /index.html HTTP/1.0\r\n", b"OPTIONS * HTTP/1.1\r\n", b"PUT /v1?x=1 HTTP/2\n",
])
def test_a_browser_is_shut_out(common, first_line):
    client = common.client()
    client.send_bytes(first_line + b"Host: 127.0.0.1\r\nContent-Type: text/plain\r\n\r\n"
                      b'{"jsonrpc":"2.0","id":1,"method":"simulation.step","params":{"ticks":5}}\n')
    with pytest.raises(Closed):
        while True:
            assert b'"id":1' not in client.read_line()
    common.wait_for_log("HTTP")
    with common.client() as other:
        assert other.request("session.ping")["tick"] == 0


def test_http_in_a_later_line_is_just_bad_json(guest):
    assert_alive(guest)
    assert_error(guest, b"POST / HTTP/1.1\n", -32700)


def test_requests_that_wait_for_a_tick_are_answered_when_the_server_stops(start):
    for _ in range(8):
        server = start()
        server.client().start("simulation.step", ticks=10000)  # so that a tick is in flight most of the time
        client = server.client()
        server.process.send_signal(signal.SIGSTOP)
        request = client.start("character.list")
        server.process.send_signal(signal.SIGTERM)
        server.process.send_signal(signal.SIGCONT)
        assert client.finish(request)[0]["name"] == "alan"
        assert server.process.wait(10) == 0
