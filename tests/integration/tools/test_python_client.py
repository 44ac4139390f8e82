"""protocol/clients/python against the real server: both faces, and what happens when the connection goes."""
import asyncio
import json
import math
import sys
import threading
import time

import pytest
from harness import PATIENCE, ROOT, SANITIZED, own_port

PACKAGE = ROOT / "protocol/clients/python"
sys.path.insert(0, str(PACKAGE))

import tweed  # noqa: E402
from tweed import aio  # noqa: E402

LIMIT = 10 * PATIENCE


def address(server):
    return f"127.0.0.1:{server.ports['tcp']}"


@pytest.fixture
def ours(server):
    """A blocking client of a server that is paused at tick 0."""
    with tweed.connect(address(server), timeout=LIMIT) as client:
        yield client


def run(main):
    """Runs a coroutine function to its end, within the limit."""
    return asyncio.run(asyncio.wait_for(main(), 3 * LIMIT))


def test_hello_requests_and_their_errors(server, ours):
    assert ours.hello["name"] == "tweed" and ours.hello["tick_rate"] == 60
    assert ours.request("character.list")[0]["name"] == "alan"
    with pytest.raises(tweed.InvalidParams) as caught:
        ours.request("stream.subscribe", precision=9)
    assert str(caught.value) == "params.precision must be an integer from 2 to 7 decimals, not 9 (-32602)"
    assert (caught.value.code, caught.value.path) == (-32602, "params.precision")
    with pytest.raises(tweed.NotFound) as missing:
        ours.request("character.reset", character="nobody")
    assert (missing.value.code, missing.value.path) == (-32001, "params.character")
    assert str(missing.value).endswith(" (-32001, params.character)")
    with pytest.raises(tweed.RequestError) as unknown:
        ours.request("character.dance")
    assert (type(unknown.value), unknown.value.code) == (tweed.RequestError, -32601)
    with pytest.raises(ValueError, match="66[0-9]{3} bytes long; the server takes 65536"):
        ours.request("character.reset", character="x" * 66000)
    with pytest.raises(ValueError):
        ours.request("world.set", ground=math.nan)
    assert ours.request("session.ping")["tick"] == 0, "the connection lives"


def test_a_session_has_its_name_role_and_no_events(server, client):
    with tweed.connect(address(server), name="viewer", role="observer", events=False, timeout=LIMIT) as observer:
        with pytest.raises(tweed.NotAllowed):
            observer.request("simulation.resume")
        (entry,) = [entry for entry in client.request("server.stats")["clients"] if entry["client"] == "viewer"]
        assert entry["role"] == "observer"
        events = observer.events()
        client.request("world.set", ground=0.5)
        with pytest.raises(TimeoutError):
            events.next(timeout=0.3)


def test_it_connects_to_a_unix_socket(start, tmp_path):
    start("--unix", tmp_path / "socket")
    with tweed.connect(str(tmp_path / "socket"), timeout=LIMIT) as client:
        assert client.request("character.list")[0]["name"] == "alan"


def test_where_no_tweed_is_it_says_so(start):
    with pytest.raises(ConnectionRefusedError):
        tweed.connect("127.0.0.1:1")
    server = start("--max-clients", 1)
    with tweed.connect(address(server), timeout=LIMIT), pytest.raises(tweed.NotNow):
        tweed.connect(address(server))

    async def to_another(line):
        async def greet(reader, writer):
            writer.write(line)
            writer.close()
        async with await asyncio.start_server(greet, "127.0.0.1", 0) as other:
            host, port = other.sockets[0].getsockname()
            with pytest.raises(tweed.Disconnected, match="is no tweed server"):
                await aio.connect(f"{host}:{port}")
    for line in b"SSH-2.0-OpenSSH_9.2\r\n", b"", b"1\n", b'["error"]\n', b'{"error":1}\n':
        run(lambda: to_another(line))


def test_poses_for_a_server_that_does_not_keep_up_are_held_back_while_they_are_young():
    """Here one that takes up nothing: what is sent meanwhile would wait for it, older with every one."""
    async def pose_while_nobody_reads():
        async def greet(reader, writer):
            writer.write(b'{"jsonrpc":"2.0","method":"server.hello","params":{"limits":{"message_bytes":65536}}}\n')
            await reader.readline()  # session.open
            writer.write(b'{"jsonrpc":"2.0","id":1,"result":{"role":"operator"}}\n')
            writer.transport.pause_reading()
            await asyncio.sleep(3 * LIMIT)
        async with await asyncio.start_server(greet, "127.0.0.1", 0, limit=1024) as stuck:
            client = await aio.connect("%s:%d" % stuck.sockets[0].getsockname(), reconnect=False)
            driver = client.drive("alan")
            pose = {f"Bone{number}": [0, 0, 0, 1] for number in range(34)}
            while True:
                try:
                    await asyncio.wait_for(driver.pose(pose), 0.5)
                except asyncio.TimeoutError:
                    break
            client._writer.transport.abort()
            return driver.sequence * 1700  # bytes, at the least, of that many
    assert run(pose_while_nobody_reads) < 1 << 20


@pytest.mark.parametrize("address", ["127.0.0.1", "7601", "127.0.0.1:", ":7601", "localhost:port", ""])
def test_what_is_no_address_is_told(address):
    with pytest.raises(ValueError, match=f'expected HOST:PORT or the path of a Unix socket, .* found "{address}"'):
        tweed.connect(address)


def test_a_queue_gives_every_frame_and_latest_the_newest(ours):
    everything = ours.subscribe(bones=["Hips"], layout="trs", policy="queue")
    newest = ours.subscribe(bones=["Hips", "Head"], layout="trs")
    assert everything.characters == ["alan"] and everything.number != newest.number
    ours.request("simulation.step", ticks=50)
    assert [everything.next(LIMIT).tick for _ in range(51)] == list(range(51))
    frame = newest.next(LIMIT)
    assert (frame.tick, frame.time, frame.character) == (50, pytest.approx(50 / 60, abs=1e-5), "alan")
    assert frame.static is newest.static["alan"] and frame.static.bones == ("Hips", "Head")
    assert frame["Head"] == frame.bones[1] and len(frame["Head"]) == 10
    assert {bone["name"] for bone in frame.static.description["bones"]} > {"Hips", "Head"}
    with pytest.raises(KeyError):
        frame["LeftHand"]


def test_a_view_is_updated_unsubscribed_and_replaced(server, client, ours):
    view = ours.subscribe(bones=["Hips"], policy="queue", static=False)
    number = view.number
    view.update(rate=30)
    assert view.number == number, "the rate is the subscription's, the view is the same"
    ours.request("simulation.step", ticks=10)
    assert [view.next(LIMIT).tick for _ in range(6)] == [0, 2, 4, 6, 8, 10]
    view.update(bones=["Head"])
    assert view.number != number and view.next(LIMIT).static.bones == ("Head",)
    with pytest.raises(tweed.InvalidParams):
        view.update(rate=-1)
    assert view.parameters["rate"] == 30, "what is refused changes nothing"
    assert [entry["views"] for entry in client.request("server.stats")["clients"] if entry["views"]] == [1]
    again = ours.subscribe(bones=["Head"], rate=30, policy="queue", static=False)
    with pytest.raises(StopIteration):  # an equal one took its place
        view.next(LIMIT)
    view.unsubscribe()
    assert again.next(LIMIT).tick == 10, "which lives on"
    again.unsubscribe()
    again.unsubscribe()
    assert list(again) == []
    assert not any(entry["views"] for entry in client.request("server.stats")["clients"])


def test_events_from_when_they_are_asked_for(ours):
    ours.request("world.set", ground=0.5)
    every, world = ours.events(), ours.events("world.changed")
    ours.request("simulation.resume")
    ours.request("world.set", ground=0.25)
    assert every.next(LIMIT).method == "simulation.resumed"
    event = world.next(LIMIT)
    assert event.method == "world.changed" and event.params["ground"] == 0.25
    world.close()
    assert list(world) == []


def test_notifications_take_effect(ours):
    events = ours.events("world.changed")
    ours.notify("world.set", ground=0.125)
    assert events.next(LIMIT).params["ground"] == 0.125


def test_the_clock_is_the_servers(ours):
    clock = ours.clock()
    before = clock.now()
    served = ours.request("session.ping")["monotonic"]
    assert before - clock.error <= served <= clock.now() + clock.error
    assert 0 < clock.error < 1 * PATIENCE
    assert abs(clock.offset) <= clock.error, "both read this machine's clock"


@pytest.mark.alone
def test_motion_runs_a_fixed_delay_behind(start):
    server = start(paused=False)

    async def main():
        async with await aio.connect(address(server), timeout=LIMIT) as client:
            view = await client.subscribe(kinds=["cloth"], rate=20)
            motion = view.interpolated(delay=0.2, rate=100)
            moments = []
            async for characters in motion:
                moments.append((time.monotonic(), characters["alan"]))
                if len(moments) == 100:
                    break
            await view.unsubscribe()
            assert [item async for item in motion] == []
            return moments
    moments = run(main)
    times = [frame.time for _, frame in moments]
    assert times == sorted(times)
    between = [time for time in times if abs(time * 20 - round(time * 20)) > 0.01]
    if not SANITIZED:  # ticks that are late leave nothing to go on to
        assert len(set(between)) > 40, "most moments are between two frames"
    (begin, first), (end, last) = moments[30], moments[-1]
    assert last.time - first.time == pytest.approx(end - begin, abs=0.1 * PATIENCE), "at the speed of the simulation"


@pytest.mark.alone
def test_motion_knows_of_pauses_and_of_who_is_removed(server, ours, monkeypatch):
    """Its offset is found anew once simulation time goes on, so a pause costs no delay."""
    timeline = tweed.Timeline(0.1)
    monkeypatch.setattr("tweed.stream.Timeline", lambda delay: timeline)
    motion = ours.subscribe(bones=["Hips"]).interpolated(delay=0.1)
    assert motion.next(LIMIT)["alan"].tick == 0, "while nothing moves as well"
    (_, lag) = timeline._lags[0]
    time.sleep(0.5)
    ours.request("simulation.resume")
    while motion.next(LIMIT)["alan"].tick == 0:
        pass
    assert timeline._lags[0][1] > lag + 0.4
    ours.request("simulation.pause")
    ours._client._notified("character.removed", {"tick": 9, "character": "alan"})
    assert motion.sample() == {}


def test_frames_that_were_queued_come_after_the_character_is_gone(ours):
    """Events overtake what waits under the policy queue."""
    view = ours.subscribe(bones=["Hips"], policy="queue")
    frame = view.next(LIMIT)
    late = {"view": view.number, "character": "alan", "revision": 1, "tick": 1, "time": 1 / 60, "bones": frame.bones}
    ours._client._notified("character.removed", {"tick": 2, "character": "alan"})
    assert view.static == {}
    ours._client._notified("stream.frame", late)
    assert (view.next(LIMIT).tick, view.static) == (1, {})
    motion = view.interpolated()
    ours._client._notified("stream.frame", late)
    assert motion.sample() == {}, "but motion does not show who is gone"
    ours._client._notified("stream.frame", {**late, "character": "nobody"})
    assert ours.request("session.ping"), "and the connection lives"


def test_who_queues_and_never_reads_is_told(ours, monkeypatch):
    monkeypatch.setattr("tweed.stream.MOST_WAITING", 10)
    view = ours.subscribe(bones=["Hips"], policy="queue")
    ours.request("simulation.step", ticks=30)
    with pytest.raises(tweed.Overrun, match="more than 10 wait to be read"):
        while True:
            view.next(LIMIT)


@pytest.mark.alone
def test_the_connection_is_made_anew_and_views_go_on(start):
    port = own_port()
    server = start(paused=False, listen=f"127.0.0.1:{port}")

    async def main():
        async with await aio.connect(address(server), name="viewer", timeout=LIMIT) as client:
            events = client.events("connection.lost", "connection.restored")
            first = await client.subscribe(bones=["Hips"])
            second = await client.subscribe(bones=["Head"], layout="trs")
            async for frame in first:
                if frame.tick > 60:
                    break
            server.kill()
            assert (await events.__anext__()).method == "connection.lost"
            with pytest.raises(tweed.Disconnected):
                await client.request("session.ping")
            await asyncio.sleep(0.5)
            start(paused=False, listen=f"127.0.0.1:{port}")
            assert (await events.__anext__()).params["name"] == "tweed"
            for view in (first, second):
                ticks = [(await view.__anext__()).tick for _ in range(5)]
                assert ticks == sorted(ticks) and ticks[0] < 60 * PATIENCE, "the new server's"
            assert (await second.__anext__()).static.bones == ("Head",)
            assert "viewer" in [entry["client"] for entry in (await client.request("server.stats"))["clients"]]
    run(main)


@pytest.mark.parametrize("broken", [
    [{"jsonrpc": "2.0", "method": "server.hello"}],
    [{"jsonrpc": "2.0", "method": "server.hello", "params": {"limits": None}}],
    [{"jsonrpc": "2.0", "method": "server.hello", "params": {"limits": {"message_bytes": 65536}}}],
    [{"jsonrpc": "2.0", "method": "server.hello", "params": {"limits": {"message_bytes": 65536}}},
     {"jsonrpc": "2.0", "id": 2, "result": {}}],
    [{"jsonrpc": "2.0", "method": "server.hello", "params": {"limits": {"message_bytes": 65536}}},
     {"jsonrpc": "2.0", "id": 2, "result": None}],
    [],
], ids=["no params", "no limits", "silent after hello", "no role", "no result", "silent"])
def test_a_server_that_comes_back_broken_is_tried_until_it_is_whole(monkeypatch, broken):
    """The server ends, what answers next is broken, and then the server is whole again."""
    monkeypatch.setattr("tweed.wire.ANSWER_WITHIN", 0.3)
    monkeypatch.setattr("tweed.wire.HELLO_WITHIN", 0.3)
    monkeypatch.setattr("tweed.aio.BACKOFF", (0.01, 0.02))
    connections, lose = [], asyncio.Event()

    async def serve(reader, writer):
        connections.append(writer)
        hello = {"jsonrpc": "2.0", "method": "server.hello", "params": {"limits": {"message_bytes": 65536}}}
        script = broken if len(connections) == 2 else [hello, {"jsonrpc": "2.0", "result": {"role": "observer"}}]
        for n, message in enumerate(script):
            if n > 0:
                message = {**message, "id": json.loads(await reader.readline())["id"]}
            writer.write(json.dumps(message).encode() + b"\n")
        if len(connections) == 1:
            await lose.wait()
            writer.close()

    async def main():
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as listener:
            host, port = listener.sockets[0].getsockname()
            async with await aio.connect(f"{host}:{port}") as client:
                events = client.events("connection.lost", "connection.restored")
                lose.set()
                assert (await events.__anext__()).method == "connection.lost"
                assert (await events.__anext__()).method == "connection.restored"
        assert len(connections) == 3
    run(main)


def test_who_waits_is_told_when_the_server_goes(start):
    server = start()

    async def main():
        client = await aio.connect(address(server), reconnect=False)
        view, events = await client.subscribe(rate=1), client.events("log")
        await view.__anext__()
        waiting = [asyncio.ensure_future(wait) for wait in (
            client.request("simulation.step", ticks=100000), events.__anext__())]
        await asyncio.sleep(0.3)
        server.kill()
        for wait in waiting:
            with pytest.raises(tweed.Disconnected):
                await wait
        with pytest.raises(tweed.Disconnected):
            async for _ in view:
                pass
        assert [event async for event in client.events()] == []
        await client.close()
    run(main)


def test_a_reply_that_does_not_come_in_time(server, ours):
    with tweed.connect(address(server), timeout=0.2) as hasty:
        with pytest.raises(TimeoutError, match="no reply to simulation.step within 0.2 s"):
            hasty.request("simulation.step", ticks=100000)


def test_closing_ends_what_iterates(server):
    client = tweed.connect(address(server), timeout=LIMIT)
    view, events = client.subscribe(), client.events()
    reader = threading.Thread(target=list, args=[events], daemon=True)
    reader.start()
    time.sleep(0.1)
    client.close()
    client.close()
    reader.join(LIMIT)
    assert not reader.is_alive(), "one that waits in another thread"
    assert list(view) == list(events) == []
    with pytest.raises(tweed.Disconnected):
        client.request("session.ping")
