"""A server that asks for tokens: who gets in, as what, what strangers may do, and where the token never shows."""
import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import time

import pytest
from harness import BINARY, PATIENCE, ROOT, WAKE, Client, Closed, RpcError, run

sys.path.insert(0, str(ROOT / "protocol/clients/python"))
import tweed  # noqa: E402
from web import PING, WebSocket, frame, get  # noqa: E402

OPERATOR, OBSERVER, WRONG = "b5f2c6e1a90d4873", "0c3e9d71f5a248b6", "9a8b7c6d5e4f3021"
STRANGER = "{} needs a role; this connection has none until session.open gives its token"


def write_tokens(path, text=f"# made by openssl rand\noperator {OPERATOR}\nobserver {OBSERVER}\n", mode=0o600):
    path.write_text(text)
    path.chmod(mode)
    return path


@pytest.fixture(scope="module")
def token_file(tmp_path_factory):
    return write_tokens(tmp_path_factory.mktemp("tokens") / "tokens")


@pytest.fixture
def guarded(start, token_file):
    return start("--token-file", token_file, "--log", "debug")


def end_of(client, limit):
    """Seconds until the server closes the connection."""
    begin = time.monotonic()
    try:
        while True:
            client.read_line(limit * PATIENCE)
    except Closed:
        return time.monotonic() - begin


def test_a_token_gives_its_role(guarded):
    client, watcher = guarded.client(), guarded.client()
    assert client.hello["authentication"] == "token"
    assert client.request("session.open", token=OPERATOR, client="pytest") == {"role": "operator"}
    assert client.request("world.set", ground=0).keys() == {"tick"}
    assert client.request("server.describe")["authentication"] == "token"
    assert watcher.request("session.open", token=OBSERVER) == {"role": "observer"}
    error = watcher.error("world.set", ground=0)
    assert (error.code, error.path, error.message) == (
        -32002, "method", "world.set needs the role operator; this connection is an observer")
    error = watcher.error("session.open", role="operator")
    assert (error.code, error.path, error.message) == (
        -32002, "params.role", "session.open: the token is one for the role observer, not operator")
    assert watcher.request("character.list"), "and it is an observer still"
    assert client.request("session.open", role="observer") == {"role": "observer"}
    assert client.request("session.open", role="operator") == {"role": "operator"}


def test_before_it_there_is_nothing_but_refusals(guarded, token_file):
    stranger, client = guarded.client(), guarded.client()
    client.request("session.open", token=OPERATOR)
    for method in ("session.ping", "server.stats", "world.set", "stream.subscribe", "no.such\nmethod"):
        error = stranger.error(method, character=5)
        said = json.dumps(method)
        assert (error.code, error.path, error.message) == (-32002, "method", STRANGER.format(said))
    error = stranger.error("session.open", role="observer")
    assert (error.code, error.path, error.message) == (-32002, "params.token", "session.open needs a token")
    stranger.send([{"jsonrpc": "2.0", "id": 1, "method": "session.ping"},
                   {"jsonrpc": "2.0", "method": "simulation.resume"},
                   {"jsonrpc": "2.0", "id": 2, "method": "session.open", "params": {"token": OBSERVER}},
                   {"jsonrpc": "2.0", "id": 3, "method": "session.ping"}])
    refused, opened, answered = stranger.read()
    assert refused["error"]["code"] == -32002
    assert opened["result"] == {"role": "observer"} and answered["result"]["tick"] == 0
    assert client.request("server.stats")["paused"] is True


def opens_as(server, token, role):
    """Whether the token comes to give that role, None for none, within the time that the server may take."""
    deadline = time.monotonic() + 5 * PATIENCE
    while time.monotonic() < deadline:
        client = server.client()
        try:
            if client.request("session.open", token=token)["role"] == role:
                return True
        except (RpcError, Closed):
            if role is None:
                return True
        time.sleep(.02)
    return False


@pytest.mark.parametrize("way", ["in place", "renamed", "through a link"])
def test_a_new_file_counts_from_now_on(start, tmp_path, way):
    path = tmp_path / "tokens"
    if way == "through a link":
        (tmp_path / "first").mkdir()
        write_tokens(tmp_path / "first/tokens")
        (tmp_path / "current").symlink_to("first")
        path.symlink_to("current/tokens")
    else:
        write_tokens(path)
    server = start("--token-file", path, "--log", "debug")
    operator, observer = server.client(), server.client()
    operator.request("session.open", token=OPERATOR)
    observer.request("session.open", token=OBSERVER)

    def write(text, mode=0o600):
        if way == "in place":
            write_tokens(path, text, mode)
        elif way == "renamed":
            write_tokens(tmp_path / "new", text, mode)
            os.rename(tmp_path / "new", path)
        else:
            folder = tmp_path / f"at {time.monotonic_ns()}"
            folder.mkdir()
            write_tokens(folder / "tokens", text, mode)
            (tmp_path / "next").symlink_to(folder.name)
            os.rename(tmp_path / "next", tmp_path / "current")

    write(f"operator {WRONG}\n")
    assert opens_as(server, WRONG, "operator") and opens_as(server, OBSERVER, None)
    server.wait_for_log("tokens reloaded: 1 token\n")
    assert operator.request("world.set", ground=0).keys() == {"tick"}  # what is open stays what it is
    assert observer.error("world.set", ground=0).code == -32002 and observer.request("character.list")
    for text, mode, message in [
        (f"operator {WRONG}\nadmin {OPERATOR}\n", 0o600, "tokens:2: expected operator or observer, found another word"),
        (f"operator {OPERATOR}\n", 0o640, "tokens: expected mode 0600, found 0640: run chmod 600"),
        ("# none\n", 0o600, "tokens: expected a line with operator or observer and a token, found none"),
    ]:
        write(text, mode)
        server.wait_for_log(message)
        assert opens_as(server, WRONG, "operator") and opens_as(server, OPERATOR, None)
    (tmp_path / "else").write_text("")  # something else in the folder: not told once more
    time.sleep(.3)
    path.unlink()
    server.wait_for_log("tokens: No such file or directory; the old tokens stay")
    assert opens_as(server, WRONG, "operator")
    write_tokens(path)
    assert opens_as(server, OPERATOR, "operator") and opens_as(server, WRONG, None)
    server.stop()
    log = server.log()
    assert not any(token in log for token in (OPERATOR, OBSERVER, WRONG))
    assert way == "in place" or log.count("expected a line with operator or observer") == 1


def test_strangers_get_no_events_and_no_frames_and_are_counted(start, token_file):
    server = start("--token-file", token_file, "--max-clients", 2, paused=False)
    stranger, client = server.client(), server.client()
    client.request("session.open", token=OPERATOR)
    client.request("world.set", gravity=[0, -5, 0])
    client.event("world.changed")
    stranger.start("stream.subscribe")
    stranger.send_bytes(b"?\n")
    assert {stranger.read()["error"]["code"] for _ in range(2)} == {-32002, -32700}
    stranger.drain(0.3)
    assert stranger.take() == []
    roles = [entry["role"] for entry in client.request("server.stats")["clients"]]
    assert roles == ["none", "operator"]


def test_strangers_make_room_for_who_has_the_token(start, token_file):
    """More silent connections than there may be, of both transports: the oldest stranger goes, and one who knows the
    token is in, and stays."""
    server = start("--token-file", token_file, "--max-clients", 3)
    operator, talker = server.client(), WebSocket(server)
    operator.request("session.open", token=OPERATOR)
    silent = [server.client() for _ in range(5)]
    told = talker.read()
    assert (told["id"], told["error"]["code"], talker.read_close()) == (None, -32003, 1013)
    for client in silent[:3]:
        assert client.read()["error"]["code"] == -32003
        with pytest.raises(Closed):
            client.read()
    second, third = server.client(), server.client()
    for client in second, third:
        client.request("session.open", token=OBSERVER)
    full = server.client(read_hello=False)
    assert full.read()["error"]["code"] == -32003, "no stranger is left"
    assert operator.request("world.set", ground=0).keys() == {"tick"}
    assert end_of(full, 1) < 1 * PATIENCE
    server.wait_for_log("\nwarning: refused 6 more in a second: clients\n")
    assert server.log().count("refused") == 2
    values = get(server, "/metrics").body.decode()
    assert 'tweed_refusals_total{reason="clients"} 7\n' in values


def test_who_makes_room_gets_no_part_of_a_batch(start, token_file):
    """session.ping is answered at once, world.set at the next tick, which comes too late."""
    server = start("--token-file", token_file, "--max-clients", 1, "--rate", 30, paused=False)
    batch = [{"jsonrpc": "2.0", "id": i, "method": method} for i, method in enumerate(["session.ping", "world.set"])]
    stranger = server.client()
    for _ in range(20):
        stranger.socket.sendall(json.dumps(batch).encode() + b"\n")
        following = server.client()
        answer = stranger.read()
        if isinstance(answer, list):
            assert len(answer) == 2, "it had been answered before"
            answer = stranger.read()
        assert answer["error"]["code"] == -32003
        stranger = following


@pytest.mark.parametrize("message", [
    {"id": 1, "params": {"token": WRONG}}, {"id": 1, "params": {"token": OPERATOR[:-1], "role": "observer"}},
])
def test_a_wrong_token_closes(guarded, message):
    client = guarded.client()
    client.send({"jsonrpc": "2.0", "method": "session.open", **message})
    reply = client.read()
    assert reply["error"] == {"code": -32002, "message": "session.open: the token is wrong",
                              "data": {"path": "params.token"}}
    assert end_of(client, 1) < 1 * PATIENCE
    guarded.wait_for_log("closed: it gave a wrong token")


def test_a_wrong_token_closes_in_every_shape(guarded):
    def opening(**more):
        return {"jsonrpc": "2.0", "method": "session.open", "params": {"token": WRONG}, **more}

    silent, batch, known, lasting = (guarded.client() for _ in range(4))
    silent.send(opening())
    assert end_of(silent, 1) < 1 * PATIENCE
    batch.send([{"jsonrpc": "2.0", "id": 1, "method": "session.open", "params": {"token": OPERATOR}},
                opening(id=2), {"jsonrpc": "2.0", "id": 3, "method": "session.ping"}])
    opened, wrong, after = batch.read()
    assert "result" in opened and wrong["error"]["code"] == after["error"]["code"] == -32002
    assert end_of(batch, 1) < 1 * PATIENCE
    known.request("session.open", token=OPERATOR)
    known.subscribe()
    known.notify("world.set", ground=3)
    known.send(opening(id=9))
    known.notify("world.set", ground=4)
    assert end_of(known, 1) < 1 * PATIENCE
    lasting.send_bytes(json.dumps(opening(id=9)).encode() + b"\n" + b"x" * 5000)  # and goes on talking
    assert end_of(lasting, 1) < 1 * PATIENCE
    checker = guarded.client()
    checker.request("session.open", token=OBSERVER)
    assert checker.request("world.get")["ground"] == 3, "what it asked as an operator held, and nothing after"


@pytest.mark.parametrize("text", [b"x" * 1100, b'{"jsonrpc":"2.0","id":1,"method":"session.ping"}\n' * 22,
                                  b'{"jsonrpc":"2.0","id":1,"method":"session.open","params":{"token":"%b"}}%b\n'
                                  % (OPERATOR.encode(), b" " * 1000)], ids=["a line", "lines", "the token itself"])
def test_more_than_a_kibibyte_before_it_closes(guarded, text):
    client = guarded.client()
    client.send_bytes(text)
    assert end_of(client, 2) < 2 * PATIENCE
    guarded.wait_for_log("closed: too many bytes before authentication")


def test_the_longest_token_is_reached_and_a_longer_one_is_told(start, tmp_path):
    server = start("--token-file", write_tokens(tmp_path / "tokens", f"operator {'x' * 512}\n"))
    assert server.client().request("session.open", token="x" * 512) == {"role": "operator"}
    error = server.client().error("session.open", token="x" * 513)
    assert (error.code, error.message) == (-32602, "params.token must be a string from 1 to 512 bytes")


@pytest.mark.parametrize("sent, closes", [
    (frame(b" " * 1016), False), (frame(b" " * 1017), True), (frame(b"", PING) * 170, False), (frame(b"", PING) * 171, True),
    (frame(b"") * 171, True), (b"\n" * 1024, False), (b"\n" * 1025, True),
], ids=["1024 bytes", "1025 bytes", "170 pings", "171 pings", "empty texts", "1024 newlines", "1025 newlines"])
def test_a_kibibyte_counts_every_byte(guarded, sent, closes):
    client = guarded.client() if sent[:1] == b"\n" else WebSocket(guarded)
    client.socket.sendall(sent)
    operator = guarded.client()
    operator.request("session.open", token=OPERATOR)
    time.sleep(0.1)
    assert len(operator.request("server.stats")["clients"]) == (1 if closes else 2)


def test_a_new_file_with_the_old_mistake_is_told_again(start, tmp_path):
    path = write_tokens(tmp_path / "tokens")
    server = start("--token-file", path)
    for count in 1, 2:
        write_tokens(path, f"admin {WRONG}{count}\n")
        deadline = time.monotonic() + 5 * PATIENCE
        while server.log().count("tokens:1: expected operator or observer, found another word") < count:
            assert time.monotonic() < deadline
            time.sleep(.02)


def test_what_comes_behind_the_token_is_not_counted(guarded):
    client = guarded.client()
    opening = {"jsonrpc": "2.0", "id": 1, "method": "session.open", "params": {"token": OPERATOR}}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "session.ping"}
    client.send_bytes(json.dumps(opening).encode() + b"\n" + (json.dumps(ping).encode() + b"\n") * 100)
    assert client.read()["result"] == {"role": "operator"}
    for _ in range(100):
        assert "result" in client.read()


@pytest.mark.alone
def test_two_hundred_silent_connections_are_gone_in_six_seconds(guarded):
    begin = time.monotonic()
    late = guarded.client()
    late.request("session.open", token=OPERATOR)
    silent = [socket.create_connection(guarded.address) for _ in range(200)]
    talking = guarded.client()
    waiting, ended = {one: b"" for one in silent}, {}
    while waiting and time.monotonic() - begin < 6 * PATIENCE:
        talking_in_time = time.monotonic() - begin < 4
        if talking_in_time:
            talking.send({"jsonrpc": "2.0", "id": 1, "method": "a"})
        for one in select.select(list(waiting), [], [], 0.3)[0]:
            if not one.recv(4096):
                ended[one] = time.monotonic() - begin
                del waiting[one]
    assert not waiting, f"{len(waiting)} are left"
    assert min(ended.values()) > 4, "they had the time to speak"
    assert end_of(talking, 1) < 1 * PATIENCE, "asking other things buys no time"
    assert len(late.request("server.stats")["clients"]) == 1, "who showed its token stays"
    for one in silent:
        one.close()


def test_a_token_shows_nowhere(guarded):
    operator = guarded.client()
    operator.request("session.open", token=OPERATOR, client="me")
    for token in (OBSERVER, WRONG, [OBSERVER], {"a": OBSERVER}, OBSERVER + " "):
        client = guarded.client()
        client.send({"jsonrpc": "2.0", "id": 1, "method": "session.open", "params": {"token": token}})
        assert OBSERVER not in client.read_line().decode()
    said = json.dumps([operator.request("server.stats"), operator.request("server.describe"), operator.hello])
    operator.drain(0.3)
    said += json.dumps([str(message) for message in operator.kept])
    status, _ = guarded.stop()
    said += guarded.log()
    assert status == 0
    for token in (OPERATOR, OBSERVER, WRONG):
        assert token not in said


def serve(*options):
    return subprocess.run([BINARY, "serve", WAKE, "--paused", *map(str, options)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=20 * PATIENCE)


@pytest.mark.parametrize("address, said", [
    ("0.0.0.0:0", "0.0.0.0"), ("[::]:0", "::"), ("192.0.2.1:0", "192.0.2.1"), ("[2001:db8::1]:0", "2001:db8::1"),
])
def test_other_addresses_than_loopback_need_a_token(address, said):
    result = serve("--listen", address)
    assert (result.returncode, result.stderr) == (
        2, f"tweed: --listen: expected a loopback address such as 127.0.0.1:0, found {said}: anyone who reaches the "
           "port can drive the characters, so another address needs --token-file\n")


def test_with_a_token_any_address_will_do(start, token_file):
    server = start("--token-file", token_file, listen="0.0.0.0:0")
    client = server.client()
    assert client.hello["authentication"] == "token"
    assert client.request("session.open", token=OBSERVER) == {"role": "observer"}


@pytest.mark.parametrize("text, mode, message", [
    (f"operator {WRONG}\n", 0o644, "expected mode 0600, found 0644: run chmod 600"),
    ("# nothing yet\n", 0o600, "expected a line with operator or observer and a token, found none"),
])
def test_a_file_that_will_not_do_ends_the_start(tmp_path, text, mode, message):
    path = write_tokens(tmp_path / "tokens", text, mode)
    result = serve("--listen", "127.0.0.1:0", "--token-file", path)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.endswith(f"{path}: {message}\n")
    assert WRONG not in result.stderr


def test_a_broken_line_is_told_by_its_number_alone(tmp_path):
    path = write_tokens(tmp_path / "tokens", f"operator {OPERATOR}\n{WRONG}\n")
    result = serve("--listen", "127.0.0.1:0", "--token-file", path)
    assert result.returncode == 1
    assert result.stderr.endswith(f"{path}:2: expected operator or observer, found another word\n")
    assert WRONG not in result.stderr


def test_a_short_token_is_advised_against(start, tmp_path):
    server = start("--token-file", write_tokens(tmp_path / "tokens", f"operator {OPERATOR}\nobserver sesame\n"))
    assert server.log().count("may be guessed") == 1
    assert ("tokens:2: the token is shorter than 16 characters and may be guessed; make one with openssl rand -hex 16"
            in server.log())
    assert "sesame" not in server.log()


def test_the_unix_socket_asks_as_well(start, token_file, tmp_path):
    path = str(tmp_path / "socket")
    start("--token-file", token_file, "--unix", path)
    with Client(path) as client:
        assert client.error("session.ping").code == -32002
        assert client.request("session.open", token=OPERATOR) == {"role": "operator"}


# --- clients ---

def command(*arguments, token=None):
    environment = {key: value for key, value in os.environ.items() if key != "TWEED_TOKEN"}
    if token is not None:
        environment["TWEED_TOKEN"] = token
    result = run(*arguments, env=environment)
    return result.returncode, result.stdout, result.stderr


def test_the_command_line_shows_a_token(guarded, token_file, tmp_path):
    at = ["--connect", "%s:%d" % guarded.address]
    name = at[1]
    listed = '[{"name":"alan","script":"characters/wake","revision":1}]\n'
    assert command("call", "character.list", *at, "--token-file", token_file) == (0, listed, "")
    assert command("call", "world.set", '{"ground":0}', *at, token=OPERATOR) == (0, '{"tick":0}\n', "")
    assert command("call", "world.set", '{"ground":0}', *at, token=OBSERVER) == (
        1, "", "tweed: error -32002: world.set needs the role operator; this connection is an observer\n")
    assert command("call", "character.list", *at, "--token-file", token_file, token=WRONG) == (0, listed, "")
    assert command("call", "character.list", *at, token=WRONG) == (
        1, "", "tweed: error -32002: session.open: the token is wrong (params.token)\n")
    for token in (None, ""):
        assert command("call", "character.list", *at, token=token) == (
            1, "", f"tweed: {name} asks for a token: expected --token-file PATH or TWEED_TOKEN in the environment, "
                   "found neither\n")
    assert command("call", "character.list", *at, token="x" * 513) == (
        1, "", "tweed: TWEED_TOKEN: expected 512 bytes at most, found 513\n")
    loose = write_tokens(tmp_path / "loose", mode=0o640)
    assert command("call", "character.list", *at, "--token-file", loose) == (
        1, "", f"tweed: {loose}: expected mode 0600, found 0640: run chmod 600\n")
    status, text, errors = command("stats", *at, token=OBSERVER)
    assert (status, errors) == (0, "") and "observer" in text


@pytest.fixture
def recording(guarded, token_file, tmp_path):
    path = tmp_path / "recording.ndjson"
    with guarded.client() as driver:
        driver.request("session.open", token=OPERATOR)
        driver.request("simulation.resume")
        assert command("record", path, "--ticks", 5, "--connect", "%s:%d" % guarded.address, "--token-file",
                       token_file)[0] == 0
    return path


@contextlib.contextmanager
def replaying(recording, *options):
    """The address of a replay."""
    port_file = recording.with_suffix(".port")
    command_line = [BINARY, "replay", recording, "--listen", "127.0.0.1:0", "--port-file", port_file, *options]
    replay = subprocess.Popen(command_line, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 10 * PATIENCE
        while not port_file.exists():
            assert time.monotonic() < deadline and replay.poll() is None
            time.sleep(0.02)
        yield "127.0.0.1", json.loads(port_file.read_text())["tcp"]
    finally:
        replay.terminate()
        replay.wait(10)


def test_a_recording_holds_no_token_and_is_replayed_without(recording):
    assert OPERATOR not in recording.read_text()
    with replaying(recording) as address, Client(address) as client:
        assert client.hello["authentication"] == "none"
        assert client.request("session.open") == {"role": "observer"}
    assert run("replay", recording, "--listen", "0.0.0.0:0").returncode == 2


def test_a_replay_asks_for_tokens_likewise(recording, token_file):
    lines = recording.read_text().splitlines()
    tick = json.loads(lines[-1])["params"]["tick"]
    event = {"jsonrpc": "2.0", "method": "log", "params": {"tick": tick, "level": "info", "message": "recorded"}}
    recording.write_text("\n".join([*lines[:-1], json.dumps(event), lines[-1], ""]))
    with replaying(recording, "--token-file", token_file) as address:
        with Client(address) as client, Client(address) as stranger, Client(address) as liar:
            assert client.hello["authentication"] == "token"
            assert stranger.error("stream.subscribe").message == STRANGER.format('"stream.subscribe"')
            assert client.request("session.open", token=OPERATOR) == {"role": "observer"}
            client.subscribe()
            client.event("log", message="recorded")
            assert liar.error("session.open", token=WRONG).path == "params.token"
            assert end_of(liar, 1) < 1 * PATIENCE
            stranger.drain(0.2)
            assert stranger.take() == []


def test_the_python_client_shows_a_token(guarded):
    address = "%s:%d" % guarded.address

    with tweed.connect(address, token=OPERATOR) as client:
        assert "tick" in client.request("world.set", ground=0)
    for token in (WRONG, None):
        with pytest.raises(tweed.NotAllowed):
            tweed.connect(address, token=token)
