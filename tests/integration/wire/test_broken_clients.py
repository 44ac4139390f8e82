"""Clients that are broken, many at once, or mean harm: each is told or closed, the others never notice."""
import json
import os
import random
import re
import resource
import socket
import struct
import threading

import pytest
from harness import PATIENCE, QUARANTINE, Client, Closed, StartFailure, wait_until

MIB = 1 << 20
LIMIT = 256  # connections
GRAVITY = b'{"jsonrpc":"2.0","id":%d,"method":"world.set","params":{"gravity":[0,-%d,0]}}\n'
PING = b'{"jsonrpc":"2.0","id":%d,"method":"session.ping"}\n'
DESCRIBE = b'{"jsonrpc":"2.0","id":1,"method":"character.describe","params":{"character":"alan"}}'
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: close sends a reset


def client_ids(client):
    return {entry["id"] for entry in client.request("server.stats")["clients"]}


def send_what_goes(client, data, most):
    """Sends data again and again until the server has not read for a while; the number of bytes."""
    client.socket.settimeout(0.5 * PATIENCE)
    sent = 0
    try:
        while sent < most:
            sent += client.socket.send(data)
    except TimeoutError:
        pass
    return sent


def description_length(client):
    return len(json.dumps(client.request("character.describe", character="alan"), separators=(",", ":")))


def assert_closed(client):
    with pytest.raises((Closed, ConnectionError)):
        while True:
            client.read_line()


# --- bytes that are no requests ---


def test_half_a_line_waits_for_its_rest_and_a_byte_at_a_time_is_a_line(common, guest):
    others = [common.client() for _ in range(20)]
    for number, other in enumerate(others):
        other.send_bytes((PING % number)[: 2 + number])
    assert guest.request("session.ping")["tick"] == 0
    for number, other in enumerate(others):
        for byte in (PING % number)[2 + number:]:
            other.send_bytes(bytes([byte]))
        assert other.read()["id"] == number
        other.close()


def test_a_line_without_end_is_drained_so_far_and_no_further(server):
    endless, long = server.client(), server.client()
    memory = server.resident_bytes()
    for _ in range(15):
        long.send_bytes(b"x" * MIB)
    long.send_bytes(b"\n" + PING % 7)
    assert long.read()["error"]["code"] == -32600
    assert long.read()["id"] == 7, "a long line is told, and the connection lives on"
    sent = 0
    with pytest.raises(ConnectionError):
        while True:
            endless.send_bytes(b"x" * MIB)
            sent += 1
    assert 15 <= sent <= 40, "16 MiB, and what the kernels hold"
    server.wait_for_log("closed: an over-long message did not end")
    assert server.resident_bytes() - memory < 4e6 + QUARANTINE


def test_noise_is_told_to_be_noise(server, client):
    """Each line of any bytes is answered with one error; a first line like HTTP's is none of these."""
    chance = random.Random(7)
    alphabets = (bytes(range(256)), b'{}[]":,\\ \x00\xff0123456789abcdefjsonrpcmethod', b"[[[{\"a\":",
                 b"\xc3\xa9\xe2\x82\xff")
    for alphabet in alphabets:
        lines = [bytes(chance.choice(alphabet) for _ in range(chance.randrange(1, 400)))
                 .replace(b"\n", b" ").strip(b"\r") for _ in range(200)]
        guest = server.client()
        guest.send_bytes(b"".join(b"#" + line + b"\n" for line in lines) + PING % 1)
        for line in lines:
            reply = guest.read()
            assert (reply["error"]["code"], reply["id"]) == (-32700, None), line
        assert guest.read()["id"] == 1
        guest.close()
    assert client.request("session.ping")["tick"] == 0


@pytest.mark.parametrize("start_of_another_protocol", [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET /\r", b"POST / HTTP/1.1\r", b"PRI * HTTP/2.0\r"])
def test_another_protocol_smuggles_no_request(common, start_of_another_protocol):
    client = common.client()
    client.send_bytes(start_of_another_protocol + b"\n" + PING % 1)
    with pytest.raises(Closed):
        raise AssertionError(client.read())


# --- connections that come and go ---


def test_one_connection_too_many_is_told_and_closed(server):
    clients = [server.client() for _ in range(LIMIT)]
    extra = Client(server.address, read_hello=False)
    reply = extra.read()
    assert (reply["error"]["code"], reply["id"]) == (-32003, None)
    with pytest.raises(Closed):
        extra.read()
    clients[0].close()
    wait_until(lambda: len(client_ids(clients[1])) == LIMIT - 1)
    assert server.client().request("session.ping")["tick"] == 0


def test_two_thousand_connects_are_256_clients_and_an_error_for_each_other(server, client):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4096)), hard))
    memory = server.resident_bytes()
    flood = [Client(server.address, read_hello=False, timeout=60.0) for _ in range(2000)]
    welcome = 0
    for guest in flood:
        first = guest.read()
        if first.get("method") == "server.hello":
            welcome += 1
            continue
        assert (first["error"]["code"], first["id"]) == (-32003, None)
        with pytest.raises(Closed) as end:
            guest.read()
        assert not end.value.reset, "the line is not lost by a reset"
        guest.close()
    assert welcome == LIMIT - 1
    assert len(client_ids(client)) == LIMIT
    for guest in flood:
        guest.close()
    wait_until(lambda: len(client_ids(client)) == 1)
    assert server.resident_bytes() - memory < 8e6 + QUARANTINE
    assert server.client().request("session.ping")["tick"] == 0


def test_out_of_files_new_connections_wait_until_one_closes(start):
    """A limit of files leaves room for so many clients, for one that is told there are too many, and 64 files."""
    server = start(files=110)
    clients = [server.client()]
    limit = clients[0].hello["limits"]["clients"]
    assert 20 < limit < 46
    server.wait_for_log(
        f"warning: at most {limit} connections, not 256: the limit of open files is 110, and 64 are reserved\n")
    clients += [server.client() for _ in range(limit - 1)]
    extra = [Client(server.address, read_hello=False) for _ in range(4)]
    server.wait_for_log("new connections wait: only 64 of 110 files may still be opened")
    before = cpu_seconds(server)
    for guest in extra:
        assert guest.read()["error"]["code"] == -32003, "each has its turn"
    assert cpu_seconds(server) - before < 1, "it waits, it does not spin"
    assert clients[0].request("session.ping")["tick"] == 0, "those who are in are served"
    for leaver in clients[1:5]:
        leaver.close()
    wait_until(lambda: len(client_ids(clients[0])) == limit - 4)
    assert all(server.client().hello for _ in range(4))
    assert server.log().count("new connections wait") == 1, "told once, not for each"


def test_with_few_files_one_client_is_served_or_the_start_fails(start):
    """It never listens and greets nobody; the limit that it names is the least that is enough."""
    with pytest.raises(StartFailure) as failure:
        start(files=14)
    (least,) = re.findall(r"error: expected a limit of (\d+) open files at least, for one client, found 14: raise it "
                          r"\(ulimit -n\)\n", failure.value.log)
    with pytest.raises(StartFailure):
        start(files=int(least) - 1)
    for files in int(least), 40, 78:
        server = start(files=files)
        server.wait_for_log("warning: at most 1 connection, not 256")
        client = server.client()
        assert client.hello["limits"]["clients"] == 1
        assert client.request("session.ping")["tick"] == 0
        assert Client(server.address, read_hello=False).read()["error"]["code"] == -32003
        assert client.request("session.ping")["tick"] == 0


def cpu_seconds(server):
    fields = open(f"/proc/{server.process.pid}/stat").read().rpartition(") ")[2].split()
    return sum(int(field) for field in fields[11:13]) / os.sysconf("SC_CLK_TCK")


def test_connections_reset_in_the_middle_of_a_frame_leave_no_trace(start):
    server = start(paused=False)
    client = server.client()
    for number in range(60):
        guest = server.client(receive_buffer=4096)
        guest.subscribe(static=False, policy="queue" if number % 2 else "latest", precision=7)
        guest.start("simulation.pause")
        guest.start("character.describe", character="alan")
        guest.socket.recv(1 + 97 * number % 3000)
        guest.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        guest.close()
    wait_until(lambda: len(client_ids(client)) == 1)
    assert client.request("server.stats")["holds"] == 0
    first = client.request("session.ping")["tick"]
    wait_until(lambda: client.request("session.ping")["tick"] > first)


def test_a_dead_client_leaves_no_trace(server, client):
    for number in range(20):
        with server.client() as guest:
            guest.subscribe(bones=[f"x{number}"])
            guest.start("simulation.pause")
    wait_until(lambda: len(client_ids(client)) == 1)
    assert client.request("server.stats")["holds"] == 1


def test_nothing_is_half_applied_when_the_client_dies_in_the_middle(server, client):
    with server.client() as guest:
        guest.send_bytes(b'{"jsonrpc":"2.0","id":1,"method":"world.set","params":{"gravity":[0,-1,0]}')
    wait_until(lambda: len(client_ids(client)) == 1)
    assert client.request("world.get")["gravity"][1] == pytest.approx(-9.81)


# --- clients that want too much ---


def test_who_asks_and_never_reads_is_not_read_from(server, client):
    length = description_length(client)
    memory = server.resident_bytes()
    deaf = server.client(receive_buffer=4096)
    deaf.request("session.open", client="deaf")
    sent = send_what_goes(deaf, (DESCRIBE + b"\n") * 100, 100 * MIB)
    assert sent < 20 * MIB, "what the kernels hold"
    queued = [entry["queued_bytes"] for entry in client.request("server.stats")["clients"] if entry["client"] == "deaf"]
    assert all(MIB / 2 < size < MIB + 2 * length for size in queued), queued
    assert server.resident_bytes() - memory < 16e6 + QUARANTINE


def test_answers_of_more_than_16_mib_to_one_batch_close_the_connection(server, client):
    length = description_length(client)
    memory = server.resident_bytes()
    few, many = 8 * MIB // length, 17 * MIB // length + 1
    assert many * (len(DESCRIBE) + 1) < 65536
    modest, greedy = server.client(timeout=60.0), server.client(timeout=60.0)
    for guest, count in ((modest, few), (greedy, many)):
        guest.send_bytes(b"[" + b",".join([DESCRIBE] * count) + b"]\n")
    assert len(modest.read()) == few
    assert_closed(greedy)
    server.wait_for_log("closed: the answers to a batch take more than 16 MiB")
    assert server.resident_bytes() - memory < 80e6 + QUARANTINE
    assert client.request("session.ping")["tick"] == 0


def test_a_flood_of_commands_is_served_256_a_tick_in_order(start):
    server = start(paused=False)
    flooder = server.client(timeout=60.0)
    flooder.request("session.open", events=False)
    count = 3000
    flooder.send_bytes(b"".join(GRAVITY % (i, i % 9) for i in range(count)))
    replies = [flooder.read() for _ in range(count)]
    assert [reply["id"] for reply in replies] == list(range(count))
    ticks = [reply["result"]["tick"] for reply in replies]
    assert ticks == sorted(ticks)
    assert max(ticks.count(tick) for tick in set(ticks)) <= 256


def test_a_flood_that_has_to_wait_is_not_read(server, client):
    memory = server.resident_bytes()
    flooder = server.client()
    flooder.start("simulation.step", ticks=100_000)
    sent = send_what_goes(flooder, GRAVITY % (1, 1) * 100, 100 * MIB)
    assert sent < 20 * MIB, "what the kernels hold"
    assert server.resident_bytes() - memory < 8e6 + QUARANTINE
    assert client.request("world.get")["gravity"][1] == pytest.approx(-9.81), "its commands wait for its step"
    flooder.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    flooder.close()
    wait_until(lambda: len(client_ids(client)) == 1)


def test_others_are_answered_while_a_flood_goes_on(start):
    server = start(paused=False)
    flooder, other = server.client(timeout=60.0), server.client()
    over = threading.Event()
    answers = []

    def flood():
        while not over.is_set():
            flooder.send_bytes(PING % 1 * 1000)
            for _ in range(1000):
                answers.append(flooder.finish(1)["tick"])

    thread = threading.Thread(target=flood)
    thread.start()
    try:
        wait_until(lambda: answers)
        first = other.request("session.ping")["tick"]
        wait_until(lambda: other.request("session.ping")["tick"] > first + 30)
    finally:
        over.set()
        thread.join()
    assert len(answers) % 1000 == 0 and answers == sorted(answers)


def test_a_step_of_one_that_only_reads_goes_on_and_of_one_that_is_gone_ends(server, client):
    reader = server.client(timeout=60.0)
    reader.subscribe(bones=["Hips"], static=False)
    step = reader.start("simulation.step", ticks=2_000)
    reader.socket.shutdown(socket.SHUT_WR)
    ticks = []
    while True:
        message = reader.read()
        if message.get("id") == step:
            break
        if message["method"] == "stream.frame":
            ticks.append(message["params"]["tick"])
    assert message["result"]["tick"] == 2_000
    assert ticks == list(range(2_001)), "all frames, before the reply"
    assert_closed(reader)

    silent = server.client(timeout=60.0)
    silent.start("simulation.step", ticks=100_000)
    silent.socket.shutdown(socket.SHUT_WR)
    error = silent.read()["error"]
    assert (error["code"], error["data"]) == (-32003, {"path": "params.ticks"})
    assert error["message"].startswith("the step ended ")
    assert_closed(silent)

    gone = server.client()
    gone.subscribe(bones=["Hips"])
    gone.start("simulation.step", ticks=100_000)
    gone.close()
    wait_until(lambda: len(client_ids(client)) == 1)
    tick = client.request("session.ping")["tick"]
    assert client.request("simulation.step", ticks=1)["tick"] == tick + 1 < 102_000
