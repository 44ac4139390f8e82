"""protocol/clients/python: the client of a node that dies goes on at another."""
import asyncio
import sys

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
