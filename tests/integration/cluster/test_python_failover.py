"""protocol/clients/python: the client of a node that dies goes on at another."""
import asyncio
import signal
import sys

import pytest
from brokers import owners
from harness import PATIENCE, ROOT

sys.path.insert(0, str(ROOT / "protocol/clients/python"))

import tweed  # noqa: E402
from tweed import aio  # noqa: E402

LIMIT = 10 * PATIENCE


def address(server):
    return "%s:%d" % server.address


async def until(condition):
    deadline = asyncio.get_running_loop().time() + 3 * LIMIT
    while not condition():
        assert asyncio.get_running_loop().time() < deadline
        await asyncio.sleep(0.05)


def test_a_client_of_a_dead_node_goes_on_at_another(cluster):
    servers, clients = cluster.of("a", "b", "c")
    clients[1].request("character.spawn", script="characters/wake", name="barry", node="b")

    async def main():
        async with await aio.connect(address(servers[0]), name="viewer", timeout=LIMIT) as client:
            events = client.events("connection.lost", "connection.restored")
            hips = await client.subscribe(characters=["alan", "barry"], bones=["Hips"])
            heads = await client.subscribe(bones=["Head"], layout="trs")
            await until(lambda: sorted(client.nodes) == sorted(map(address, servers)))
            servers[0].process.kill()
            assert (await events.__anext__()).method == "connection.lost"
            assert (await events.__anext__()).method == "connection.restored"
            assert client.address in map(address, servers[1:])
            missing = {"alan", "barry"}
            async for frame in hips:  # also of the dead node's character, which goes on elsewhere
                missing.discard(frame.character)
                if not missing:
                    break
            assert (await heads.__anext__()).static.bones == ("Head",)
            await until(lambda: sorted(client.nodes) == sorted(map(address, servers[1:])))
            index = [address(server) for server in servers].index(client.address)
            assert "viewer" in [entry["client"] for entry in clients[index].request("server.stats")["clients"]]

    asyncio.run(asyncio.wait_for(main(), 6 * LIMIT))
    cluster.wait_until(lambda: "a" not in owners(clients[1]).values())


def test_the_blocking_client_says_where_it_is(cluster):
    server = cluster.start("a")
    with tweed.connect(address(server), timeout=LIMIT) as client:
        cluster.wait_until(lambda: client.nodes == [address(server)])
        assert client.address == address(server)
    with tweed.connect(address(server), timeout=LIMIT, reconnect=False) as client:
        assert client.request("session.ping") and client.nodes == []


def test_a_client_of_a_frozen_node_goes_on_at_another(cluster):
    """Its connection stays open, and nothing comes."""
    servers, clients = cluster.of("a", "b")
    clients[1].request("character.spawn", script="characters/wake", name="barry", node="b")

    async def main():
        async with await aio.connect(address(servers[0]), keepalive=2 * PATIENCE) as client:
            events = client.events("connection.lost", "connection.restored")
            hips = await client.subscribe(characters=["barry"], bones=["Hips"])
            await until(lambda: sorted(client.nodes) == sorted(map(address, servers)))
            await hips.__anext__()
            servers[0].process.send_signal(signal.SIGSTOP)
            frozen = asyncio.get_running_loop().time()
            with pytest.raises(tweed.Disconnected):
                await client.request("character.describe", character="barry")
            lost = await events.__anext__()
            assert lost.method == "connection.lost"
            assert lost.params == {"reason": f"nothing from {address(servers[0])} for {2 * PATIENCE:g} s"}
            assert (await events.__anext__()).method == "connection.restored"
            assert asyncio.get_running_loop().time() - frozen < 6 * PATIENCE
            assert client.address == address(servers[1])
            assert (await client.request("character.describe", character="barry"))["name"] == "barry"
            while (await hips.__anext__()).character != "barry":
                pass

    asyncio.run(asyncio.wait_for(main(), 6 * LIMIT))
    servers[0].process.send_signal(signal.SIGCONT)


def test_the_blocking_client_of_a_frozen_server_comes_back(cluster):
    server = cluster.start("a")
    with tweed.connect(address(server), keepalive=1 * PATIENCE) as client:
        events = client.events("connection.lost", "connection.restored")
        view = client.subscribe(bones=["Hips"])
        assert view.next(timeout=LIMIT).character == "alan"
        server.process.send_signal(signal.SIGSTOP)
        with pytest.raises(tweed.Disconnected):
            client.request("session.ping")
        assert events.next(timeout=LIMIT).method == "connection.lost"
        server.process.send_signal(signal.SIGCONT)
        assert events.next(timeout=LIMIT).method == "connection.restored"
        assert client.request("session.ping")
        while (view.next(timeout=LIMIT)).character != "alan":
            pass


def test_a_quiet_connection_is_kept(cluster):
    server = cluster.start("a")
    with tweed.connect(address(server), keepalive=0.4 * PATIENCE, events=False) as client:
        events = client.events("connection.lost")
        with pytest.raises(TimeoutError):
            events.next(timeout=2 * PATIENCE)
        assert client.request("session.ping")
