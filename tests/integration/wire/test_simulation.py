"""simulation.pause, resume and step, holds, and determinism."""
import hashlib
import time

import pytest
from harness import RpcError, wait_until


def frames_hash(start, ticks, *options, calls=()):
    client = start(*options).client()
    client.subscribe(particles=True, references=True, precision=7)
    client.event("stream.frame", tick=0)  # else it comes before or after the first call's events
    for method, params in calls:
        client.request(method, **params)
    digest = hashlib.sha256()
    client.request("simulation.step", ticks * 0.1 + 30, ticks=ticks)
    count = 0
    for message in client.kept:
        digest.update(message["raw"] + b"\n")
        count += message["method"] == "stream.frame"
    assert count == ticks
    return digest.hexdigest()


def test_two_fresh_servers_stepped_600_ticks_give_equal_bytes(start):
    assert frames_hash(start, 600) == frames_hash(start, 600)


def test_equal_commands_give_equal_bytes_and_threads_change_nothing(start):
    calls = [("world.set", {"wind": {"velocity": [4, 0, 1], "turbulence": 0.5, "gust": 0.5}}),
             ("character.call", {"character": "alan", "command": "dodge"})]
    first = frames_hash(start, 150, "--threads", 1, calls=calls)
    assert first == frames_hash(start, 150, "--threads", 2, calls=calls)
    assert first != frames_hash(start, 150, calls=calls[:1])


def test_the_seed_is_what_chance_hangs_on(start):
    wind = [("world.set", {"wind": {"velocity": [4, 0, 0], "turbulence": 1, "gust": 1}})]
    hashes = [frames_hash(start, 60, "--seed", seed, calls=wind) for seed in (0, 1)]
    assert hashes[0] != hashes[1]
    assert frames_hash(start, 60, calls=wind) == hashes[0], "0 is the default"


def test_600_steps_in_one_request_lose_no_frame_and_come_before_the_reply(client):
    client.subscribe(particles=True)
    client.drain(0.1)
    frames = client.step(600)
    assert [frame["tick"] for frame in frames] == list(range(1, 601))
    assert client.request("session.ping")["tick"] == 600


def test_a_slow_stepper_misses_no_frame_of_any_view(server):
    client = server.client(receive_buffer=4096)
    views = [client.subscribe(particles=True, precision=precision)["view"] for precision in (7, 6, 5)]
    identifier = client.start("simulation.step", ticks=60)
    time.sleep(1)
    assert client.finish(identifier) == {"tick": 60}
    frames = client.take("stream.frame")
    for view in views:
        assert [frame["tick"] for frame in frames if frame["view"] == view] == list(range(61))


def test_others_see_the_steps_and_may_command_between_them(server):
    stepper, other = server.client(), server.client()
    other.subscribe(bones=["Hips"])
    step = stepper.start("simulation.step", ticks=300)
    moved = other.request("character.move", character="alan", position=[1, 0, 0])
    assert stepper.finish(step) == {"tick": 300}
    assert 0 <= moved["tick"] <= 300
    other.drain(0.2)
    frames = other.take("stream.frame")
    assert frames[-1]["tick"] == 300


def test_a_stepper_waits_for_its_reply_before_its_next_request(client):
    step, ping = client.start("simulation.step", ticks=30), client.start("session.ping")
    assert client.finish(step) == {"tick": 30}
    assert client.finish(ping)["tick"] == 30


def test_steps_need_a_pause_and_one_at_a_time(server):
    one, other = server.client(), server.client()
    running = one.start("simulation.step", ticks=100_000)
    other.request("session.ping")
    error = other.error("simulation.step", ticks=1)
    assert error.code == -32003
    one.close()
    wait_until(lambda: other.request("server.stats")["holds"] == 1)
    tick = other.request("session.ping")["tick"]
    assert 0 < tick < 100_000, f"step {running} ended with its connection"
    assert other.request("simulation.step", ticks=2) == {"tick": tick + 2}
    other.request("simulation.resume")
    assert other.error("simulation.step", ticks=1).code == -32003


def test_the_server_runs_while_no_pause_is_held(start):
    server = start(paused=False)
    one, other = server.client(), server.client()
    paused = one.request("simulation.pause")
    assert set(paused) == {"tick", "holds"} and paused["holds"] == 1
    assert one.request("simulation.pause")["holds"] == 1, "a connection holds one at most"
    assert other.request("simulation.pause")["holds"] == 2
    tick = other.request("session.ping")["tick"]
    time.sleep(0.2)
    assert other.request("session.ping")["tick"] == tick == paused["tick"]
    assert one.request("simulation.resume")["holds"] == 1
    assert other.request("server.stats")["paused"] is True
    assert other.request("simulation.resume")["holds"] == 0
    time.sleep(0.2)
    assert other.request("session.ping")["tick"] > tick


@pytest.mark.alone
def test_a_pause_whose_client_dies_ends(start):
    server = start(paused=False)
    holder, other = server.client(), server.client()
    tick = holder.request("simulation.pause")["tick"]
    assert other.event("simulation.paused")["holds"] == 1
    time.sleep(1)
    holder.close()
    assert other.event("simulation.resumed")["tick"] == tick
    time.sleep(0.3)
    assert other.request("session.ping")["tick"] > tick
    assert other.request("server.stats")["ticks_skipped"] < 30, "time paused is not skipped"


def test_the_pause_of_the_start_is_nobodys_and_any_operator_lifts_it(server):
    first = server.client()
    first.close()
    other = server.client()
    assert other.hello["paused"] is True
    assert other.request("simulation.resume") == {"tick": 0, "holds": 0}
    assert other.event("simulation.resumed")["tick"] == 0
    time.sleep(0.2)
    assert other.request("session.ping")["tick"] > 0


def test_while_paused_commands_take_effect_at_once_and_frames_show_it_from_the_next_tick(client):
    view = client.subscribe(bones=["Hips"], precision=6)["view"]
    before = client.event("stream.frame", view=view)["bones"][0]
    assert client.request("character.move", character="alan", position=[10, 0, 0]) == {"tick": 0}
    (frame,) = client.step(1)
    assert frame["bones"][0][12] - before[12] == pytest.approx(10, abs=0.2)


def test_reset_is_exactly_as_after_the_spawn(client):
    client.subscribe(particles=True, precision=7)
    client.drain(0.1)
    first = client.step(200)
    client.request("character.call", character="alan", command="dodge")
    client.step(17)
    reply = client.request("character.reset", character="alan")
    assert reply == {"tick": 217}
    again = client.step(200)
    for one, other in zip(first, again, strict=True):
        assert (one["bones"], one["particles"]) == (other["bones"], other["particles"]), other["tick"]


def test_time_is_tick_over_rate(client):
    client.subscribe(bones=["Hips"])
    for frame in client.step(90):
        assert frame["time"] == pytest.approx(frame["tick"] / 60, abs=1e-5)


def test_a_failed_step_leaves_the_simulation_as_it_was(client):
    with pytest.raises(RpcError):
        client.request("simulation.step", ticks=10, speed=2)
    assert client.request("session.ping")["tick"] == 0
