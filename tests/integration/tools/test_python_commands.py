"""protocol/clients/python where it commands: tokens, batches, characters that come and go, and poses."""
import asyncio
import math
import sys

import pytest
from harness import PATIENCE, ROOT, own_port

sys.path.insert(0, str(ROOT / "protocol/clients/python"))

import tweed  # noqa: E402
from tweed import aio  # noqa: E402

LIMIT = 10 * PATIENCE
OPERATOR, OBSERVER = "b5f2c6e1a90d4873", "0c3e9d71f5a248b6"


def address(server):
    return f"127.0.0.1:{server.ports['tcp']}"


def run(main):
    return asyncio.run(asyncio.wait_for(main(), 3 * LIMIT))


@pytest.fixture
def ours(server):
    """A blocking client of a server that is paused at tick 0."""
    with tweed.connect(address(server), timeout=LIMIT) as client:
        yield client


@pytest.fixture
def token_file(tmp_path):
    path = tmp_path / "tokens"
    path.write_text(f"operator {OPERATOR}\nobserver {OBSERVER}\n")
    path.chmod(0o600)
    return path


# --- tokens ---


def test_the_token_is_given_or_of_the_environment(start, token_file, monkeypatch):
    server = start("--token-file", token_file)
    monkeypatch.delenv("TWEED_TOKEN", raising=False)
    asks = f"{address(server)} asks for a token: expected token=… or TWEED_TOKEN in the environment"
    with pytest.raises(tweed.NotAllowed, match=asks) as none:
        tweed.connect(address(server))
    assert (none.value.code, none.value.path) == (-32002, "params.token")
    with pytest.raises(tweed.NotAllowed, match="session.open: the token is wrong"):
        tweed.connect(address(server), token="guess")
    monkeypatch.setenv("TWEED_TOKEN", OBSERVER)
    with tweed.connect(address(server), timeout=LIMIT) as client:
        assert client.role == "observer"
    with tweed.connect(address(server), token=OPERATOR, timeout=LIMIT) as client:
        assert client.role == "operator"
    with tweed.connect(address(server), token=OPERATOR, role="observer", timeout=LIMIT) as client:
        assert client.role == "observer"


def test_views_go_on_with_the_token_and_end_where_it_is_not_right_any_more(start, token_file):
    port = own_port()
    server = start("--token-file", token_file, paused=False, listen=f"127.0.0.1:{port}")

    async def main():
        async with await aio.connect(address(server), token=OBSERVER, timeout=LIMIT) as client:
            events = client.events("connection.lost", "connection.restored")
            view = await client.subscribe(bones=["Hips"])
            assert (await view.__anext__()).character == "alan"
            server.kill()
            assert (await events.__anext__()).method == "connection.lost"
            second = start("--token-file", token_file, paused=False, listen=f"127.0.0.1:{port}")
            assert (await events.__anext__()).method == "connection.restored"
            assert (await view.__anext__()).character == "alan" and client.role == "observer"
            second.kill()
            token_file.write_text("operator another-one-altogether\n")
            start("--token-file", token_file, paused=False, listen=f"127.0.0.1:{port}")
            with pytest.raises(tweed.NotAllowed, match="the token is wrong"):
                async for _ in view:
                    pass
            assert client.closed
    run(main)


# --- batches ---


def test_a_batch_gives_results_and_refusals_in_order(ours):
    pinged, refused, unknown, moved = ours.batch(
        ("session.ping", {}), ("character.reset", {"character": "nobody"}), ("character.dance", {}),
        ("character.move", {"character": "alan", "position": [1, 0, 0]}))
    assert pinged["tick"] == 0 and moved == {"tick": 0}
    assert isinstance(refused, tweed.NotFound) and refused.path == "params.character"
    assert isinstance(unknown, tweed.RequestError) and unknown.code == -32601
    assert ours.batch() == []
    with pytest.raises(ValueError, match="the batch is [0-9]+ bytes long; the server takes 65536"):
        ours.batch(*[("session.ping", {})] * 2000)


def test_a_batch_takes_effect_in_order(start):
    async def main():
        async with await aio.connect(address(start(paused=False)), timeout=LIMIT) as client:
            calls = [("world.set", {"ground": -height / 100}) for height in range(100)]
            ticks = [result["tick"] for result in await client.batch(*calls)]
            assert len(ticks) == 100 and ticks == sorted(ticks)
            assert (await client.request("world.get"))["ground"] == pytest.approx(-0.99)
    run(main)


def test_a_batch_whose_connection_goes_fails_whole(start):
    server = start()

    async def main():
        async with await aio.connect(address(server), reconnect=False) as client:
            waiting = asyncio.ensure_future(client.batch(
                ("session.ping", {}), ("simulation.step", {"ticks": 100000})))
            await asyncio.sleep(0.2)
            server.kill()
            with pytest.raises(tweed.Disconnected):
                await waiting
            assert not client._waiting
    run(main)


# --- characters ---


def test_characters_come_and_go(ours):
    view = ours.subscribe(bones=["Hips"], layout="trs", policy="queue")
    view.next(LIMIT)
    assert ours.spawn("characters/human", name="eve", position=[2, 0, 0]) == "eve"
    other = ours.spawn("characters/human")
    assert {entry["name"] for entry in ours.request("character.list")} == {"alan", "eve", other}
    ours.request("simulation.step", ticks=1)
    frames = {frame.character: frame for frame in [view.next(LIMIT) for _ in range(3)]}
    assert frames.keys() == {"alan", "eve", other} == view.static.keys()
    assert frames["eve"]["Hips"][0] - frames[other]["Hips"][0] == pytest.approx(2, abs=0.01)
    ours.remove("eve")
    with pytest.raises(tweed.NotFound, match="eve"):
        ours.remove("eve")
    ours.request("simulation.step", ticks=1)
    assert {view.next(LIMIT).character for _ in range(2)} == {"alan", other} == view.static.keys()
    with pytest.raises(tweed.NotFound):
        ours.spawn("characters/nobody")


def test_a_driver_lets_go_of_a_character_that_is_gone(ours):
    ours.spawn("characters/human", name="eve")
    with ours.drive("eve") as driver:
        driver.pose({"Head": [0, 0, 0, 1]})
        ours.remove("eve")
    assert "eve" not in {character["name"] for character in ours.request("character.list")}


# --- poses ---


def half_turn(angle):
    return [0, 0, math.sin(angle / 2), math.cos(angle / 2)]


def test_a_driver_numbers_its_poses_and_frames_tell_them(ours):
    view = ours.subscribe(bones=["LeftArm"], layout="trs", space="parent", policy="queue")
    assert view.next(LIMIT).sequence is None
    with ours.drive("alan") as driver:
        assert driver.sequence == 0
        for number in range(1, 4):
            assert driver.pose({"LeftArm": half_turn(0.2 * number)}) == driver.sequence == number
            ours.request("simulation.step", ticks=1)
            frame = view.next(LIMIT)
            assert (frame.tick, frame.sequence) == (number, number)
            assert frame["LeftArm"][3:7] == pytest.approx(half_turn(0.2 * number), abs=1e-4)
        ours.request("simulation.step", ticks=1)
        assert view.next(LIMIT).sequence == 3
    ours.request("simulation.step", ticks=30)
    assert [view.next(LIMIT) for _ in range(30)][-1]["LeftArm"][3:7] != pytest.approx(half_turn(0.6), abs=1e-2)


def test_poses_are_of_any_numbers_in_either_space(ours):
    view = ours.subscribe(bones=["Hips"], layout="trs", space="model", policy="queue")
    view.next(LIMIT)
    driver = ours.drive("alan", space="model", ignore_unknown=True)
    driver.pose({"Hips": {"rotation": (0, 0, 0, 2), "position": range(3)}, "Tail": (0, 0, 0, 1)}, teleport=True)
    ours.request("simulation.step", ticks=1)
    assert view.next(LIMIT)["Hips"][:7] == pytest.approx([0, 1, 2, 0, 0, 0, 1], abs=1e-4)
    driver.release("Hips")


@pytest.mark.parametrize("events", [True, False])
def test_a_refused_pose_is_raised_by_the_next_call_of_its_driver(server, events):
    with tweed.connect(address(server), events=events, timeout=LIMIT) as client:
        driver, other = client.drive("alan"), client.drive("alan")
        no_bone = r'^no bone "Tail" \(-32001, params.bones.Tail\)$'
        assert driver.pose({"Tail": (0, 0, 0, 1)}) == 1
        client.request("session.ping")
        with pytest.raises(tweed.NotFound, match=no_bone):
            driver.pose({"Head": (0, 0, 0, 1)})
        other.pose({"Head": (0, 0, 0, 1)})
        assert driver.pose({"Head": (0, 0, 0, 1)}) == 2, "it goes on, and the pose that raised was not sent"
        driver.pose({"Tail": (0, 0, 0, 1)})
        with pytest.raises(tweed.NotFound, match=no_bone):
            driver.release()
        driver.release()
        other.release()


def test_a_driver_raises_what_its_last_pose_was_refused_for(ours):
    with pytest.raises(tweed.NotFound, match=r'^no character "eve".* \(-32001, params.character\)$'):
        with ours.drive("eve") as driver:
            driver.pose({"Head": (0, 0, 0, 1)})
    with pytest.raises(ZeroDivisionError):  # the block's own error is not covered
        with ours.drive("eve") as driver:
            driver.pose({"Head": (0, 0, 0, 1)})
            1 / 0


def test_a_refused_pose_that_no_call_raises_is_logged(ours, caplog):
    ours.drive("alan").pose({"Tail": (0, 0, 0, 1)})
    ours.request("session.ping")
    assert caplog.messages == ['a pose of alan was refused: no bone "Tail" (-32001, params.bones.Tail)']


def test_a_pose_takes_effect_without_being_awaited(start):
    async def main():
        async with await aio.connect(address(start()), timeout=LIMIT) as client:
            view = await client.subscribe(bones=["Head"], layout="trs", space="parent", policy="queue")
            async with client.drive("alan") as driver:
                driver.pose({"Head": half_turn(0.2)})
                assert await asyncio.wait_for(driver.pose({"Head": half_turn(0.4)}), LIMIT) == driver.sequence == 2
                driver.pose({"Head": half_turn(0.6)})
                await client.request("simulation.step", ticks=1)
                assert [(await view.__anext__()).sequence for _ in range(2)] == [None, 3]
                driver.pose({"Haed": half_turn(0.6)})
                await client.request("session.ping")
                with pytest.raises(tweed.NotFound, match="Haed"):
                    driver.pose({"Head": half_turn(0.6)})
    run(main)


def test_poses_are_dropped_while_there_is_no_connection(start):
    port = own_port()
    server = start(paused=False, listen=f"127.0.0.1:{port}")

    async def main():
        async with await aio.connect(address(server), timeout=LIMIT) as client:
            events = client.events("connection.lost", "connection.restored")
            async with client.drive("alan") as driver:
                assert await driver.pose({"Head": (0, 0, 0, 1)}) == 1
                server.kill()
                await events.__anext__()
                assert await driver.pose({"Head": (0, 0, 0, 1)}) is None and driver.sequence == 1
                start(paused=False, listen=f"127.0.0.1:{port}")
                await events.__anext__()
                assert await driver.pose({"Head": (0, 0, 0, 1)}) == driver.sequence == 3
                view = await client.subscribe(bones=["Head"])
                while (await view.__anext__()).sequence != 3:
                    pass
        with pytest.raises(tweed.Disconnected):
            await driver.pose({"Head": (0, 0, 0, 1)})
    run(main)
