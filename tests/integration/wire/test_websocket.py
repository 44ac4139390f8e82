"""WebSocket at /v1: the session of any client, and RFC 6455 as a hostile peer tries it."""
import base64
import hashlib
import json
import time

import pytest
import web
from harness import PATIENCE, Closed
from web import BINARY, CLOSE, PING, PONG, ClosedWith, Refused, WebSocket, frame

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
REQUEST = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "session.ping", "params": {}}).encode()


def reply(client, identifier=7):
    while True:
        message = client.read()
        if message.get("id") == identifier:
            return message


def test_the_handshake_answers_the_key(common):
    client = WebSocket(common)
    accept = base64.b64encode(hashlib.sha1((client.head["Sec-WebSocket-Key"] + GUID).encode()).digest()).decode()
    assert client.response.headers == {"upgrade": "websocket", "connection": "Upgrade",
                                       "sec-websocket-accept": accept, "sec-websocket-protocol": "tweed.v1"}
    assert client.hello["protocol"] == 1
    assert "sec-websocket-protocol" not in WebSocket(common, protocol=None).response.headers


@pytest.mark.parametrize("change, status, why", [
    ({"path": "/v2"}, 404, "404 Not Found\n"),
    ({"headers": {"Upgrade": "h2c"}}, 426, "426 Upgrade Required: expected a WebSocket\n"),
    ({"headers": {"Sec-WebSocket-Version": "8"}}, 426,
     "426 Upgrade Required: expected Sec-WebSocket-Version: 13\n"),
    ({"headers": {"Sec-WebSocket-Key": "short"}}, 400,
     "400 Bad Request: expected a Sec-WebSocket-Key of 16 bytes in base64\n"),
    ({"protocol": "tweed.v2, chat"}, 400, "400 Bad Request: expected the subprotocol tweed.v1\n"),
])
def test_what_is_no_handshake_is_refused(common, change, status, why):
    with pytest.raises(Refused) as refused:
        WebSocket(common, **change)
    assert (refused.value.response.status, refused.value.response.body.decode()) == (status, why)
    if status == 426:
        assert refused.value.response.headers["sec-websocket-version"] == "13"


def test_a_session_is_that_of_tcp(server):
    """The same view on both transports has the same number, and the same bytes of every message."""
    line, message = server.client(), WebSocket(server)
    assert line.hello == message.hello
    assert line.subscribe(bones=["Hips"]) == message.subscribe(bones=["Hips"])
    line.request("simulation.step", ticks=20)
    frames = []
    for client in line, message:
        client.drain(0.3)
        frames.append([m["raw"] for m in client.kept if m["method"].startswith("stream.")])
    assert len(frames[0]) == 21 + 1 and frames[0] == frames[1]
    assert message.request("server.stats")["clients"][1]["frames_sent"] == 21


def test_a_step_gives_every_frame(server):
    client = WebSocket(server)
    client.subscribe(bones=["*"], particles=True, static=False)  # frames of more than 64 KiB
    assert [frame["tick"] for frame in client.step(50)] == list(range(1, 51))


def test_a_message_in_fragments_is_joined_and_pings_come_between(common):
    client = WebSocket(common)
    client.socket.sendall(frame(REQUEST[:5], fin=False) + frame(b"are you there", PING) + frame(b"", 0, fin=False)
                          + frame(REQUEST[5:30], 0, fin=False) + frame(b"", PONG) + frame(REQUEST[30:], 0))
    assert client.read_frame() == (PONG, b"are you there")
    assert "result" in reply(client)


def test_frames_arrive_byte_by_byte(common):
    client = WebSocket(common)
    for byte in frame(REQUEST[:9], fin=False) + frame(b"x" * 125, PING) + frame(REQUEST[9:] + b" " * 200, 0):
        client.socket.sendall(bytes([byte]))
    assert client.read_frame() == (PONG, b"x" * 125)
    assert "result" in reply(client)


def test_a_thousand_requests_in_one_write(common):
    client = WebSocket(common)
    requests = [{"jsonrpc": "2.0", "id": i, "method": "session.ping"} for i in range(1000)]
    client.socket.sendall(b"".join(frame(json.dumps(request).encode()) for request in requests))
    assert [client.read()["id"] for _ in requests] == list(range(1000))


@pytest.mark.parametrize("pieces", [1, 2, 300])
def test_a_message_too_long_is_an_error_and_the_connection_lives(common, pieces):
    client = WebSocket(common)
    size = 70000 // pieces + 1
    for i in range(pieces):
        client.socket.sendall(frame(b"[" * size, web.TEXT if i == 0 else 0, fin=i == pieces - 1))
    client.socket.sendall(frame(REQUEST))
    assert reply(client, None)["error"]["message"] == "expected a message of at most 65536 bytes, found more"
    assert "result" in reply(client)


def test_a_message_of_the_limit_is_taken(common):
    client = WebSocket(common)
    client.socket.sendall(frame(REQUEST + b" " * (65536 - len(REQUEST))))
    assert "result" in reply(client)


def test_an_empty_message_is_left_out(common):
    client = WebSocket(common)
    client.socket.sendall(frame(b"") + frame(REQUEST))
    assert client.read()["id"] == 7


FAULTS = {
    "unmasked": (frame(REQUEST, mask=None), 1002, "is not masked"),
    "reserved bit 1": (frame(REQUEST, reserved=4), 1002, "a reserved bit"),
    "reserved bit 3": (frame(b"", PING, reserved=1), 1002, "a reserved bit"),
    "opcode 3": (frame(b"", 3), 1002, "or opcode"),
    "opcode 11": (frame(b"", 11), 1002, "or opcode"),
    "continuation of nothing": (frame(REQUEST, 0), 1002, "fragments are out"),
    "a text inside another": (frame(b"{", fin=False) + frame(b"}"), 1002, "fragments are out"),
    "a ping in fragments": (frame(b"x", PING, fin=False), 1002, "control frame is in fragments"),
    "a ping of 126 bytes": (frame(b"x" * 126, PING), 1002, "length is wrong"),
    "a length in more bytes than it takes": (b"\x81\xfe\x00\x05abcd12345", 1002, "length is wrong"),
    "a length of 64 bits": (b"\x81\xff\x80" + bytes(7) + b"abcd", 1002, "length is wrong"),
    "binary": (frame(REQUEST, BINARY), 1003, "is binary"),
    "not UTF-8": (frame(b"\"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80\""), 1007, "not UTF-8"),
    "UTF-8 cut off": (frame(b"\"\xce"), 1007, "not UTF-8"),
    "a close of one byte": (frame(b"\x03", CLOSE), 1002, "wrong code"),
    "a close with code 1005": (frame(b"\x03\xed", CLOSE), 1002, "wrong code"),
    "a close with code 999": (frame(b"\x03\xe7", CLOSE), 1002, "wrong code"),
    "a close with a text not UTF-8": (frame(b"\x03\xe8\xff", CLOSE), 1007, "not UTF-8"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_frame_closes_with_its_code(common, fault):
    sent, code, why = FAULTS[fault]
    client = WebSocket(common)
    client.socket.sendall(sent)
    with pytest.raises(ClosedWith) as closed:
        client.read_line()
    assert closed.value.code == code and why in closed.value.text
    with pytest.raises(Closed):
        client.read_frame()
    assert "result" in reply(_pinging(WebSocket(common)))  # others do not notice


def _pinging(client):
    client.socket.sendall(frame(REQUEST))
    return client


@pytest.mark.parametrize("payload, code", [(b"", None), (b"\x03\xe8done", 1000), (b"\x0f\xa0", 4000)])
def test_a_close_is_answered_with_its_code_after_the_last_reply(common, payload, code):
    client = WebSocket(common)
    client.socket.sendall(frame(REQUEST) + frame(payload, CLOSE) + frame(REQUEST))
    assert "result" in reply(client)
    assert client.read_close() == code
    with pytest.raises(Closed):
        client.read_frame()


def test_the_end_of_the_server_closes_with_1001(server):
    client = WebSocket(server)
    client.subscribe()
    server.process.terminate()
    assert client.read_close() == 1001
    assert server.process.wait(5) == 0


def test_one_client_too_many_is_told_so(start):
    server = start("--max-clients", 1)
    WebSocket(server)
    client = WebSocket(server, read_hello=False)
    message = client.read()
    assert (message["id"], message["error"]["code"]) == (None, -32003)
    assert client.read_close() == 1013


def test_a_slow_reader_skips_frames_and_gets_the_newest(start):
    server = start(paused=False)
    good, slow = WebSocket(server), WebSocket(server, receive_buffer=4096)
    for client in good, slow:
        client.subscribe(particles=True, static=False)
    end = time.monotonic() + 2
    frames = []
    while time.monotonic() < end:
        frames.append(good.event("stream.frame")["tick"])
    before = [slow.event("stream.frame")["tick"] for _ in range(20)]
    now = slow.request("session.ping")["tick"]
    after = slow.event("stream.frame")["tick"]
    assert before == sorted(set(before)) and before[-1] - before[0] > 20, "it has missed some"
    assert now - 5 * PATIENCE <= after, "what comes is new"
    stats = {client["id"]: client for client in server.client().request("server.stats")["clients"]}
    assert stats[2]["frames_skipped"] > 30 and stats[2]["queued_bytes"] < 200_000


def test_a_stopped_reader_is_closed_and_delays_nobody(start):
    server = start(paused=False)
    good, stopped = WebSocket(server), WebSocket(server, receive_buffer=4096)
    for client in good, stopped:
        client.subscribe(particles=True, static=False)
    begin = time.monotonic()
    while "the peer does not read" not in server.log():
        good.event("stream.frame", timeout=1)
        assert time.monotonic() - begin < 10 * PATIENCE
