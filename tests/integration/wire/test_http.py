"""The HTTP port: files of the page, health, metrics, and who may ask."""
import ctypes
import gzip
import json
import os
import platform
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest
from harness import PATIENCE, ROOT, Server, run
from web import Refused, WebSocket, get, open_socket, read_response, request_bytes

SCRIPT = b"console.log('tweed')\n" * 200
FORMS = {None: SCRIPT, "gzip": gzip.compress(SCRIPT, mtime=0), "br": b"brotli"}
PAGE = b"<!DOCTYPE html><title>tweed</title><script type=module src=/assets/index-B2x-9aQ0.js></script>\n"


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    (folder / "assets").mkdir()
    (folder / "index.html").write_bytes(PAGE)
    (folder / "assets/index-B2x-9aQ0.js").write_bytes(SCRIPT)
    (folder / "assets/index-B2x-9aQ0.js.gz").write_bytes(FORMS["gzip"])
    (folder / "assets/index-B2x-9aQ0.js.br").write_bytes(FORMS["br"])
    (folder / "assets/weave.png").write_bytes(b"\x89PNG")
    (folder / ".hidden").write_text("secret")
    (folder / "link").symlink_to("/etc/passwd")
    return folder


@pytest.fixture(scope="module")
def site(dist):
    with Server("--web", dist, "--allow-origin", "tweed.example", "--allow-origin", "http://localhost:5173",
                "--allow-origin", "http://shop.example:80") as server:
        yield server


# --- files ---

def test_the_page_is_asked_for_again_each_time_and_may_run_its_own_scripts_only(site):
    response = get(site)
    assert (response.status, response.body) == (200, PAGE)
    headers = response.headers
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["cache-control"] == "no-cache"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    policy = dict(rule.split(" ", 1) for rule in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'self'" and "script-src" not in policy
    assert policy["frame-ancestors"] == "'none'" and "unsafe" not in headers["content-security-policy"]
    assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", headers["date"])


def test_a_hashed_name_is_kept_for_ever_and_another_is_not(site):
    assert get(site, "/assets/index-B2x-9aQ0.js").headers["cache-control"] == "public, max-age=31536000, immutable"
    weave = get(site, "/assets/weave.png")
    assert (weave.headers["cache-control"], weave.headers["content-type"]) == ("no-cache", "image/png")


@pytest.mark.parametrize("accepted, coding", [
    (None, None), ("gzip, deflate, br", "br"), ("gzip;q=1.0, br;q=0", "gzip"), ("GZIP", "gzip"), ("gzip;q=0", None),
    ("brr, xgzip", None),
])
def test_the_coding_is_one_that_the_client_accepts(site, accepted, coding):
    headers = {"Accept-Encoding": accepted} if accepted else {}
    response = get(site, "/assets/index-B2x-9aQ0.js", **headers)
    assert (response.headers.get("content-encoding"), response.headers["vary"]) == (coding, "Accept-Encoding")
    assert response.headers["content-type"] == "text/javascript; charset=utf-8"
    assert response.body == FORMS[coding]


def test_what_has_not_changed_is_not_sent_again(site):
    tag = get(site).headers["etag"]
    for tags in (tag, f'"other", W/{tag}', "*"):
        response = get(site, If_None_Match=tags)
        assert (response.status, response.body, response.headers["etag"]) == (304, b"", tag)
    assert get(site, If_None_Match='"other"').status == 200
    assert get(site, "/assets/index-B2x-9aQ0.js", Accept_Encoding="br").headers["etag"] != \
        get(site, "/assets/index-B2x-9aQ0.js").headers["etag"]


def test_head_is_get_without_the_body(site):
    for path in ("/", "/assets/index-B2x-9aQ0.js", "/none"):
        head, whole = get(site, path, "HEAD"), get(site, path)
        assert head.body == b"" and head.status == whole.status
        assert {**head.headers, "date": ""} == {**whole.headers, "date": ""}


@pytest.mark.parametrize("path", ["/../etc/passwd", "/assets/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/link",
                                  "/.hidden", "/assets", "/assets/", "//etc/passwd", "/..%2f..%2fetc%2fpasswd",
                                  "/assets/index-B2x-9aQ0.js.gz", "/index.html/", "/assets\\..\\index.html"])
def test_no_path_leads_out_of_the_folder(site, path):
    assert get(site, path).status == 404


def test_a_new_build_is_served_without_a_restart(start, tmp_path):
    server = start("--web", tmp_path)
    assert b"./dev build" in get(server).body  # there is no page yet
    (tmp_path / "index.html").write_text("first")
    assert get(server).body == b"first"
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets/new-12345678.js").write_text("new")
    assert get(server, "/assets/new-12345678.js").body == b"new"
    (tmp_path / "index.html").unlink()
    assert b"./dev build" in get(server).body


def test_without_a_page_the_server_says_how_to_build_one(start, tmp_path):
    response = get(start("--web", tmp_path / "none"))
    assert response.status == 200 and b"<script" not in response.body
    assert b"is not built" in response.body and b"<code>./dev build</code>" in response.body


def test_a_large_file_is_served_and_one_that_is_not_is_named(start, tmp_path):
    for name, mebibytes in (("large.glb", 17), ("larger.glb", 65)):
        with open(tmp_path / name, "wb") as file:
            file.truncate(mebibytes << 20)
    server = start("--web", tmp_path)
    assert len(get(server, "/large.glb").body) == 17 << 20
    assert get(server, "/larger.glb").status == 404
    assert f"warning: {tmp_path}/larger.glb is not served: expected 64 MiB at most in all files\n" in server.log()


def test_a_folder_without_a_page_is_told(start, tmp_path):
    assert f"warning: {tmp_path} has no index.html: there is no page at /\n" in start("--web", tmp_path).log()
    assert f"warning: {tmp_path}/none is not served: No such file or directory\n" in start("--web", tmp_path / "none").log()


def test_no_http_is_no_port(start):
    server = start("--no-http")
    assert "http" not in server.ports and "page " not in server.log()


def test_the_contract_is_served(site):
    response = get(site, "/openrpc.json")
    assert response.headers["content-type"] == "application/json"
    assert response.body == (ROOT / "protocol/openrpc.json").read_bytes()
    assert get(site, "/openrpc.json", If_None_Match=response.headers["etag"]).status == 304
    compressed = get(site, "/openrpc.json", Accept_Encoding="gzip")
    assert compressed.headers["content-encoding"] == "gzip" and compressed.headers["vary"] == "Accept-Encoding"
    assert gzip.decompress(compressed.body) == response.body and len(compressed.body) < len(response.body) / 5


def test_a_tool_at_this_port_is_told_which_one_to_take(server):
    called = run("call", "server.stats", "--connect", f"127.0.0.1:{server.ports['http']}")
    assert called.stderr.endswith(": expected its greeting, found nothing within 5 s (the port of --listen sends it, that of "
                                  "--http does not)\n")


# --- requests ---

@pytest.mark.parametrize("request_text, status", [
    (b"GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    (b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n", 200),
    (b"GET http://localhost/healthz?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 200),
    (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", 405),
    (b"DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
    (b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
    (b"GET / HTTP/1.1\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", 400),
    (b"GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    (b"GET /%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost localhost\r\n\r\n", 400),
    (b"{\"jsonrpc\":\"2.0\"}\n", 400),
    (b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 403),
    (b"GET http://x@localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 403),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b: c\r\n\r\n", 400),
    *((b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: %s\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n" % coding,
       status) for coding, status in ((b"gzip", 501), (b"chunked, chunked", 501), (b"\x0bchunked", 501), (b"chunked", 200),
                                      (b"chunked\r\nTransfer-Encoding: chunked", 400))),
    (b"\x16\x03\x01\x02\x00\x01\x00", 400),
    (b"GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", 505),
    (b"GET /" + b"x" * 1025 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 3000 + b"\r\n", 431),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 17000, 431),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: " + b"y" * 1025 + b"\r\n\r\n", 431),
], ids=lambda value: value[:30].decode("latin-1") if isinstance(value, bytes) else None)
def test_a_wrong_request_has_a_status(site, request_text, status):
    with open_socket(site) as connection:
        connection.sendall(request_text)
        response, rest = read_response(connection)
        assert (response.status, rest) == (status, b"")
        assert response.headers.get("allow") == ("GET, HEAD" if status == 405 else None)
        if response.headers["connection"] == "close":
            assert connection.recv(1) == b""
        else:
            assert status in (200, 403, 404, 405) and b"HTTP/1.0" not in request_text


def test_an_endless_body_is_not_read_to_its_end(site):
    with open_socket(site) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999999\r\n\r\n")
        assert read_response(connection)[0].status == 405
        sent = 0
        with pytest.raises(ConnectionError):
            while True:
                sent += connection.send(b"x" * (1 << 20))
        assert sent < 40 << 20, "16 MiB, and what the kernels hold"


@pytest.mark.parametrize("request_text, why", [
    (b"{\"jsonrpc\":\"2.0\"}\n", "expected HTTP, found JSON, which the port of --listen takes"),
    (b"\x16\x03\x01\x02\x00\x01\x00", "expected HTTP, found TLS"),
    (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "expected one host header, found two"),
    (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", "invalid character in content-length header"),
])
def test_a_bad_request_is_told_why(site, request_text, why):
    with open_socket(site) as connection:
        connection.sendall(request_text)
        assert read_response(connection)[0].body.decode() == f"400 Bad Request: {why}\n"


def test_requests_are_answered_in_order_however_they_come(site):
    with open_socket(site) as connection:
        paths = ["/healthz", "/none", "/", "/assets/index-B2x-9aQ0.js"] * 50
        requests = b"".join(request_bytes(path) for path in paths)
        for at in range(0, len(requests), 777):
            connection.sendall(requests[at: at + 777])
        rest = b""
        for path in paths:
            response, rest = read_response(connection, rest)
            assert response.status == (404 if path == "/none" else 200)
        for byte in request_bytes("/healthz", Connection="close"):
            connection.sendall(bytes([byte]))
        response, rest = read_response(connection, rest)
        assert (response.status, response.headers["connection"], rest) == (200, "close", b"")
        assert connection.recv(1) == b""


def test_a_websocket_may_follow_requests_on_one_connection(site):
    with open_socket(site) as connection:
        head = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": 13,
                "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
        connection.sendall(request_bytes("/assets/index-B2x-9aQ0.js") + request_bytes("/v1", **head))
        response, rest = read_response(connection)
        assert response.body == SCRIPT
        response, rest = read_response(connection, rest)
        assert (response.status, response.headers["sec-websocket-accept"]) == (101, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")


def test_a_client_that_never_reads_is_closed_and_holds_little(site):
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", site.ports["http"]))
        connection.settimeout(1)
        before = site.resident_bytes()
        request, sent = request_bytes("/openrpc.json") * 100, 0
        begin = time.monotonic()
        with pytest.raises((ConnectionError, socket.timeout)):
            while time.monotonic() < begin + 20 * PATIENCE:
                try:
                    sent += connection.send(request)
                except socket.timeout:
                    connection.settimeout(20 * PATIENCE)  # now only the end is awaited
        assert site.resident_bytes() - before < 20 << 20
    assert get(site, "/healthz").status == 200


def test_idle_connections_keep_nobody_out(site):
    """More of them than there may be at a time: the longest idle ones make room."""
    idle = [open_socket(site) for _ in range(100)]
    begin = time.monotonic()
    assert get(site, "/healthz").status == 200
    assert time.monotonic() - begin < 2 * PATIENCE
    for connection in idle:
        connection.close()


# --- who may ask ---

@pytest.mark.parametrize("host, status", [
    ("127.0.0.1", 200), ("127.0.0.1:7602", 200), ("localhost:1", 200), ("LOCALHOST", 200), ("[::1]:7602", 200),
    ("192.168.1.5", 200), ("tweed.example:7602", 200), ("evil.example", 403), ("127.0.0.1.evil.example", 403),
    ("localhost.evil.example", 403), ("1.2.3", 403), ("[::1", 403), ("localhost:x", 403), ("x@localhost", 403), ("", 403),
    ("127.0.0.1:7602:1", 403), ("[evil.example]", 403), ("127.0.0.1 \t", 200), ("localhost:99999", 403),
])
def test_the_host_must_be_known(site, host, status):
    with open_socket(site) as connection:
        connection.sendall(request_bytes("/healthz", host=host))
        assert read_response(connection)[0].status == status


@pytest.mark.parametrize("origin, host, opens", [
    (None, "127.0.0.1", True),
    ("http://127.0.0.1:7602", "127.0.0.1:7602", True),
    ("http://localhost:7602", "localhost:7602", True),
    ("http://localhost:5173", "127.0.0.1:7602", True),
    ("https://tweed.example", "tweed.example", True),
    ("http://tweed.example:8080", "127.0.0.1:7602", True),
    ("http://shop.example", "127.0.0.1:7602", True),
    ("http://127.0.0.1", "127.0.0.1:80", True),
    ("http://127.0.0.1:8000", "127.0.0.1:7602", False),
    ("http://localhost:7602", "127.0.0.1:7602", False),
    ("https://127.0.0.1:7602", "127.0.0.1:7602", False),
    ("http://evil.example", "127.0.0.1:7602", False),
    ("http://tweed.example.evil", "127.0.0.1:7602", False),
    ("https://localhost:5173", "127.0.0.1:7602", False),
    ("null", "127.0.0.1:7602", False),
    ("file://", "127.0.0.1:7602", False),
    ("", "127.0.0.1:7602", False),
])
def test_only_pages_of_allowed_origins_open_a_websocket(site, origin, host, opens):
    headers = {} if origin is None else {"Origin": origin}
    if opens:
        assert WebSocket(site, host=host, headers=headers).hello["name"] == "tweed"
        return
    with pytest.raises(Refused) as refused:
        WebSocket(site, host=host, headers=headers)
    assert refused.value.response.status == 403
    assert refused.value.response.body == \
        b"403 Forbidden: the Origin is neither the server's own nor one of --allow-origin\n"


def test_refusals_are_counted_and_logged_once_a_second(start):
    server = start()
    for _ in range(40):
        with pytest.raises(Refused):
            WebSocket(server, headers={"Origin": "null"})
        assert get(server, "/", "PUT").status == 405
    with open_socket(server) as connection:
        connection.sendall(request_bytes("/", host="evil.example"))
        assert read_response(connection)[0].status == 403
    values = metrics(server)
    assert [values[f'tweed_refusals_total{{reason="{kind}"}}'] for kind in ("origin", "http_request", "host")] == [40, 40, 1]
    server.wait_for_log("more in a second: origin")
    log = server.log()
    assert ': 403: the Origin is neither the server\'s own nor one of --allow-origin: "null"\n' in log
    assert ': 405: expected GET or HEAD\n' in log and '--allow-origin: "evil.example"\n' in log
    assert log.count("refused") < 16


def test_a_rebound_name_opens_no_websocket(site):
    with pytest.raises(Refused) as refused:
        WebSocket(site, host="evil.example:7602", headers={"Origin": "http://evil.example:7602"})
    assert refused.value.response.status == 403


def test_a_websocket_needs_the_token_and_the_rest_does_not(start, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text("operator 0123456789abcdef\n")
    tokens.chmod(0o600)
    server = start("--token-file", tokens)
    for path in ("/", "/healthz", "/metrics", "/openrpc.json"):
        assert get(server, path).status == 200
    client = WebSocket(server)
    assert client.hello["authentication"] == "token"
    assert client.error("character.list").code == -32002
    assert client.request("session.open", token="0123456789abcdef") == {"role": "operator"}
    wrong = WebSocket(server)
    assert wrong.error("session.open", token="wrong").code == -32002
    assert wrong.read_close() == 1008
    begin = time.monotonic()
    silent = WebSocket(server)
    assert silent.read_close() == 1008
    assert 4 < time.monotonic() - begin < 6 * PATIENCE
    assert client.request("character.list")


# --- how it is ---

FUTEX = {"x86_64": "202", "aarch64": "98"}  # the system call's number


@pytest.fixture
def hold_workers():
    """hold_workers(server) stops every thread of a server but its loop's, until the test ends or release is called.

    Each is stopped while it waits for work: in the midst of it, it could hold a lock that the loop needs, as malloc's.
    """
    libc, held = ctypes.CDLL(None, use_errno=True), []
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    seize, interrupt, resume, detach = 0x4206, 0x4207, 7, 17

    def hold(server):
        tasks = Path(f"/proc/{server.process.pid}/task")
        for thread in (int(task.name) for task in tasks.iterdir() if int(task.name) != server.process.pid):
            if platform.machine() not in FUTEX or libc.ptrace(seize, thread, None, None) != 0:
                pytest.skip("threads cannot be held here")
            held.append(thread)
            stop(thread)
            give_up = time.monotonic() + 10 * PATIENCE
            while (tasks / f"{thread}/syscall").read_text().split()[0] != FUTEX[platform.machine()]:
                assert time.monotonic() < give_up, f"thread {thread} never waits"
                libc.ptrace(resume, thread, None, None)
                time.sleep(0.001)
                stop(thread)
        return release

    def stop(thread):
        libc.ptrace(interrupt, thread, None, None)
        os.waitpid(thread, 0x40000000)  # __WALL

    def release():
        while held:
            libc.ptrace(detach, held.pop(), None, None)

    yield hold
    release()


def test_health_is_503_while_a_tick_stands_still(start, hold_workers):
    server = start(paused=False)
    while json.loads(get(server, "/healthz").body)["tick"] < 2:  # then there are workers
        time.sleep(0.05)
    release = hold_workers(server)
    time.sleep(2.5)
    sick = get(server, "/healthz")
    assert (sick.status, json.loads(sick.body)["status"]) == (503, "standstill")
    assert get(server, "/metrics").status == 200
    release()
    time.sleep(0.2 * PATIENCE)
    assert get(server, "/healthz").status == 200


BURN = '''local tweed = require "tweed"
return tweed.character {
  skeleton = tweed.skeleton { { name = "pole", position = { 0, 1, 0 } } },
  commands = { burn = { run = function() local sum = 0 for i = 1, 1e8 do sum = sum + i % 7 end return { sum = sum } end } },
}'''


def test_a_script_that_blocks_delays_health_and_is_named(start, tmp_path):
    (tmp_path / "burn.lua").write_text(BURN)
    server = start("--script-budget", 60000, scene=tmp_path / "burn.lua", paused=False)
    client = server.client()
    (name,) = [each["name"] for each in client.request("character.list")]
    before = json.loads(get(server, "/healthz").body)["tick"]
    begin = time.monotonic()
    burning = client.start("character.call", character=name, command="burn")
    time.sleep(0.1)
    health = get(server, "/healthz")
    answered = time.monotonic() - begin
    assert health.status == 200 or answered > 1.5, "2 s without a tick are a standstill"
    client.finish(burning)
    while json.loads((health := get(server, "/healthz")).body)["tick"] <= before:
        assert time.monotonic() - begin < 20 * PATIENCE, "ticks go on"
    assert health.status == 200, "a tick has just ended"
    server.wait_for_log(" without one, character.call took ", 8)
    (line,) = [line for line in server.log().splitlines() if "character.call took" in line]
    skipped, standing, took = map(float, re.fullmatch(
        r"warning: (\d+) ticks skipped: ([\d.]+) ms without one, character.call took ([\d.]+) ms; "
        r"a tick takes [\d.]+ ms of 16.7 ms", line).groups())
    assert 1000 * answered > 0.9 * took, "nothing is answered meanwhile"
    assert 0.9 * took < standing and skipped < 60 * standing / 1000 + 1


def test_a_paused_server_is_well(server):
    time.sleep(2.2)
    response = get(server, "/healthz")
    assert (response.status, json.loads(response.body)) == (200, {"status": "ok", "tick": 0, "paused": True})


def metrics(server):
    lines = get(server, "/metrics").body.decode().splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}


def test_metrics_count_what_happens(server):
    line, web = server.client(), WebSocket(server)
    for client in line, web:
        client.subscribe(bones=["Hips"])
    line.step(30)
    web.drain(0.2)
    values = metrics(server)
    stats = line.request("server.stats")
    assert values["tweed_ticks_total"] == 30
    assert values['tweed_clients{transport="tcp"}'] == values['tweed_clients{transport="websocket"}'] == 1
    assert values['tweed_clients{transport="unix"}'] == 0
    sent, skipped = values["tweed_frames_sent_total"], values["tweed_frames_skipped_total"]
    assert sent == sum(client["frames_sent"] for client in stats["clients"]) and sent + skipped == 62
    for name in "characters", "garments", "particles":
        assert values[f"tweed_{name}"] == stats[name]
    assert values["tweed_tick_work_seconds_count"] == values['tweed_tick_work_seconds_bucket{le="+Inf"}'] == 30
    assert 0 < values["tweed_tick_work_seconds_sum"] < 30
    assert values["tweed_messages_received_total"] >= 3 and values["tweed_script_errors_total"] == 0
    line.close()
    web.close()
    deadline = time.monotonic() + 5 * PATIENCE
    while (values := metrics(server))['tweed_clients{transport="websocket"}'] > 0:
        assert time.monotonic() < deadline
    assert values["tweed_frames_sent_total"] == sent, "what ended connections were sent still counts"


PROMTOOL = shutil.which("promtool") or ROOT / "build/prometheus/usr/bin/promtool"


@pytest.mark.skipif(not os.path.exists(PROMTOOL), reason="no promtool here")
def test_prometheus_accepts_the_metrics(start):
    server = start("--jsonlivelink", "127.0.0.1:9")
    checked = subprocess.run([PROMTOOL, "check", "metrics"], input=get(server, "/metrics").body, capture_output=True)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, b"", b"")


def test_the_time_for_a_request_counts_from_its_first_byte(start):
    server = start()
    with open_socket(server) as connection:
        time.sleep(10.5)  # longer than a request may take
        connection.sendall(b"GET /healthz HTTP/1.1\r\n")
        time.sleep(0.5)
        connection.sendall(b"Host: 127.0.0.1\r\n\r\n")
        assert read_response(connection)[0].status == 200


def test_the_start_of_the_process_is_the_same_at_each_scrape(site):
    def start_time():
        text = get(site, "/metrics").body.decode()
        return next(line for line in text.splitlines() if line.startswith("process_start_time_seconds "))

    assert len({(time.sleep(0.13), start_time())[1] for _ in range(12)}) == 1
