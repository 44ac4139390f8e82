"""What scripts may take together: spawns, removals, requests, memory and heavy characters. Others see no more of it than
one event for all that changes in a tick."""
import pytest
from harness import StartFailure, run

SLOW = ["--script-budget", "2000"]  # what is measured here is no time
SCENE = """local tweed = require "tweed"
return tweed.scene { spawn = { { script = "mott", name = "mott" } } }
"""
LIGHT = """local tweed = require "tweed"
return tweed.character { skeleton = tweed.skeleton { { name = "root" } } }
"""
ATTACKER = """local tweed = require "tweed"
return tweed.character {
  skeleton = tweed.skeleton { { name = "root" } },
  on_spawn = function(self) self.n = 0 end,
  on_tick = function(self) if self.attacks then self.attacks = false self:attack() end end,
  commands = {
    attack = { run = function(self) self.attacks = true end },
    count = { run = function(self) self.n = self.n + 1 return self.n end },
    burst = { run = function(self, args) %s end },
  },
}
"""


@pytest.fixture
def stage(start, tmp_path):
    """stage(body, *options): a paused server with mott, whose command `burst` is that body, and the script `light`."""
    def begin(body="", *options, paused=True):
        (tmp_path / "mott.lua").write_text(ATTACKER % body)
        (tmp_path / "light.lua").write_text(LIGHT)
        (tmp_path / "scene.lua").write_text(SCENE)
        return start(*options, *SLOW, scene=tmp_path / "scene.lua", paused=paused)

    return begin


def burst(client, **arguments):
    return client.request("character.call", character="mott", command="burst", arguments=arguments)["result"]


def names(client):
    return [character["name"] for character in client.request("character.list")]


def test_characters_are_spawned_and_removed_so_many_a_tick(stage):
    client = stage("""
      if args.remove then for i = 1, 100 do tweed.remove('guest_' .. i) end return end
      for i = 1, 100 do tweed.spawn { script = 'light', name = 'guest_' .. i } end""").client()
    client.request("character.spawn", script="light", name="first")  # it is loaded
    burst(client)
    counts = []
    for _ in range(8):
        client.step(1)
        counts.append(len(names(client)) - 2)
    assert counts == [16, 32, 48, 64, 80, 96, 100, 100]
    assert names(client)[2:] == [f"guest_{i}" for i in range(1, 101)], "in order"
    burst(client, remove=True)
    client.step(1)
    left = names(client)
    assert len(left) in (38, 2) and left[:2] == ["mott", "first"]
    client.step(2)
    assert names(client) == ["mott", "first"]


def test_a_client_spawns_while_a_script_spawns_hundreds(stage):
    client = stage("for i = 1, 500 do tweed.spawn { script = 'light' } end").client()
    client.request("character.spawn", script="light", name="first")
    burst(client)
    client.step(1)
    assert client.request("character.spawn", script="light", name="second")["name"] == "second"
    assert "second" in names(client) and len(names(client)) < 100


def test_requests_of_a_script_are_so_many_a_tick(stage):
    server = stage("""
      local sent, refusal = 0
      for i = 1, 3000 do
        local done, message = pcall(tweed.request, 'character.call', { character = 'mott', command = 'count' })
        if done then sent = sent + 1 else refusal = message end
      end
      return { sent = sent, refusal = refusal }""")
    client = server.client()
    result = burst(client)
    assert result["sent"] == 64
    assert result["refusal"].endswith("character.call: a script may send 64 requests in a tick")
    client.step(2)
    assert client.request("character.call", character="mott", command="count")["result"] == 65
    assert burst(client)["sent"] == 64, "as many in the next tick"


def test_params_of_requests_are_so_many_bytes_a_tick(stage):
    result = burst(stage("""
      local sent, refusal = 0
      for i = 1, 60 do
        local done, message = pcall(tweed.request, 'character.call',
          { character = 'mott', command = 'count', arguments = { ('x'):rep(100000) } })
        if done then sent = sent + 1 else refusal = message end
      end
      return { sent = sent, refusal = refusal }""").client())
    assert result["sent"] == 10
    assert result["refusal"].endswith("the requests of a script may have 1 MiB of params in a tick")


def test_a_command_that_requests_itself_twice_stays_within_the_limit(stage):
    """It would double with every tick."""
    server = stage("""
      self.n = self.n + 1
      for _ = 1, 2 do pcall(tweed.request, 'character.call', { character = 'mott', command = 'burst' }) end""")
    client = server.client()
    client.request("character.call", character="mott", command="burst")
    for _ in range(20):
        client.step(1)
    before = client.request("character.call", character="mott", command="count")["result"]
    client.step(1)
    assert 0 < client.request("character.call", character="mott", command="count")["result"] - before <= 65


def test_one_event_tells_what_scripts_change_in_the_world(stage):
    server = stage("""
      for i = 1, 60 do tweed.request('world.set', { gravity = { 0, -i / 10, 0 } }) end""")
    client, other = server.client(), server.client()
    burst(client)
    client.step(1)
    other.drain(0.2)
    (event,) = other.take("world.changed")
    assert event["gravity"] == [0, -6, 0]
    client.request("world.set", gravity=[0, -9.81, 0])
    other.event("world.changed")


def test_failures_of_requests_are_reported_so_many_a_second(stage):
    server = stage("""
      for i = 1, 64 do
        tweed.request('character.call', { character = 'mott', command = 'nothing' })
      end""")
    client, other = server.client(), server.client()
    burst(client)
    client.step(1)
    other.drain(0.2)
    lines = [event["message"] for event in other.take("log")]
    assert len(lines) == 51 and lines[-1].startswith("more than 50 requests of scripts have failed in a second")


def test_params_count_as_memory_of_the_script_that_spawns(stage):
    """A character keeps its params: they are copied nowhere, and are free when it is removed."""
    server = stage("""
      if args.remove then for i = 1, args.remove do tweed.remove('guest_' .. i) end return end
      local text, count, refusal = ('x'):rep(200000), 0
      for i = 1, 200 do
        local done, message = pcall(tweed.spawn,
          { script = 'light', name = 'guest_' .. i, params = { text = text } })
        if done then count = count + 1 else refusal = message break end
      end
      return { count = count, refusal = refusal }""", "--script-memory", "8")
    client = server.client()
    client.request("character.spawn", script="light", name="first")
    first = burst(client)
    assert 30 <= first["count"] < 42
    assert first["refusal"].endswith("tweed.spawn: no memory is left for params; a script, with those of all characters "
                                     "that it has spawned, may have 8 MiB")
    client.step(4)
    assert len(names(client)) == first["count"] + 2
    client.drain()
    assert not client.take("script.suspended")
    burst(client, remove=first["count"])
    client.step(2)
    assert burst(client)["count"] >= first["count"] - 1, "their memory is free again"


def test_all_scripts_together_have_so_much_memory(start, tmp_path):
    for name, size in (("mott", 2), ("barry", 9), ("alice", 3)):
        (tmp_path / f"{name}.lua").write_text(f"""local tweed = require "tweed"
return tweed.character {{ skeleton = tweed.skeleton {{ {{ name = "root" }} }}, on_spawn = function(self) self.kept = {{}} end,
  commands = {{ hold = {{ run = function(self)
    for i = 1, {size} do self.kept[i] = ('x'):rep(1000000) .. i end return #self.kept end }} }} }}
""")
    (tmp_path / "scene.lua").write_text("""local tweed = require "tweed"
return tweed.scene { spawn = { { script = "mott" }, { script = "barry" }, { script = "alice" } } }
""")
    client = start("--total-script-memory", "12", *SLOW, scene=tmp_path / "scene.lua").client()
    for name, size in (("barry", 9), ("mott", 2), ("alice", 3)):
        assert client.request("character.call", character=name, command="hold")["result"] == size
    event = client.event("script.suspended")
    assert event["script"] == "barry"
    assert "all scripts together may have 12 MiB, and of these it has the most, " in event["message"]
    assert client.request("character.call", character="alice", command="hold")["result"] == 3


HEAVY = """local tweed = require "tweed"
local points, spheres = {}, {}
for row = 0, 39 do for column = 0, 39 do points[#points + 1] = { column * .03, 2 - row * .03, 0 } end end
for i = 1, 1000 do spheres[i] = tweed.sphere { name = "s" .. i, bone = "root", center = { 0, 1, -3 }, radius = .01 } end
return tweed.character {
  skeleton = tweed.skeleton { { name = "root", position = { 0, 1, 0 } } }, colliders = spheres,
  garments = { tweed.cloth { name = "sheet", fabric = "silk", rows = 40, columns = 40, positions = points, attach = "root",
                             max_distance = { top = 0, bottom = .5 }, bones = { prefix = "sheet_" } } },
}
"""


def test_self_collision_counts_where_it_keeps_far_particles_off(stage, tmp_path):
    server = stage()
    (tmp_path / "heavy.lua").write_text(HEAVY.replace("1, 1000", "1, 1").replace('fabric = "silk"',
                                                                                 'fabric = "silk", self_collision = .5'))
    assert ("garments: are too heavy: 1600 particles and 1 colliders, mostly by self_collision, take about 280 ms a tick, "
            "which has 16.7 ms; ") in server.client().error("character.spawn", script="heavy").message


def test_a_character_that_would_take_a_tick_is_refused(stage, start, tmp_path):
    server = stage()
    (tmp_path / "heavy.lua").write_text(HEAVY)
    said = ("garments: are too heavy: 1600 particles and 1000 colliders take about 24 ms a tick, which has 16.7 ms; "
            "--allow-heavy loads them all the same")
    assert said in server.client().error("character.spawn", script="heavy").message
    result = run("check", tmp_path / "heavy.lua")
    assert result.returncode == 1 and f"error: {said}" in result.stdout
    with pytest.raises(StartFailure) as failure:
        start(scene=tmp_path / "heavy.lua")
    assert said in failure.value.log
    assert start("--allow-heavy", scene=tmp_path / "heavy.lua").client().step(1) == []
    result = run("bake", tmp_path / "heavy.lua", "--seconds", "0.02", "--out", tmp_path / "heavy.glb")
    assert result.returncode == 0, "a shot takes the time that it takes"
