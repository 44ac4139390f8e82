"""Scripts that do harm, in a real server: they are suspended, and everybody else goes on."""
import os

import pytest
from harness import run

BYSTANDER = """local tweed = require "tweed"
return tweed.character {
  skeleton = tweed.skeleton { { name = "root" } },
  on_spawn = function(self) self.ticks = 0 end,
  on_tick = function(self) self.ticks = self.ticks + 1 end,
  commands = { count = { run = function(self) return self.ticks end } },
}
"""
ATTACKER = """local tweed = require "tweed"
return tweed.character {
  skeleton = tweed.skeleton { { name = "root" } },
  clips = { rise = tweed.clip { duration = 10, sample = function(t) return { root = { x = t, z = 0, heading = 0 } } end } },
  on_spawn = function(self) self:play "rise" end,
  on_tick = function(self) if self.attacks then %s end end,
  commands = {
    attack = { run = function(self) self.attacks = true end },
    loop = { run = function() while true do end end },
    burn = { run = function() for _ = 1, 200000 do end end },
    chatter = { run = function() for i = 1, 500 do print(i) end end },
  },
}
"""


@pytest.fixture
def stage(start, tmp_path):
    """stage(attack, *options): a paused server with alan the bystander, and two attackers."""
    def begin(attack="", *options):
        (tmp_path / "alan.lua").write_text(BYSTANDER)
        (tmp_path / "mott.lua").write_text(ATTACKER % attack)
        (tmp_path / "scene.lua").write_text("""local tweed = require "tweed"
return tweed.scene { spawn = { { script = "mott", name = "mott" }, { script = "mott", name = "barry" },
                               { script = "alan", name = "alan" } } }
""")
        budget = [] if "--script-budget" in options else ["--script-budget", 50]
        return start(*budget, *options, scene=tmp_path / "scene.lua")

    return begin


def count(client):
    return client.request("character.call", character="alan", command="count")["result"]


def root(client, character):
    view = client.subscribe(characters=[character], space="world")["view"]
    frame = client.event("stream.frame", view=view, character=character)
    client.request("stream.unsubscribe", view=view)
    return frame["bones"][0][12:15]


@pytest.mark.parametrize("attack, said", [
    ("while true do pcall(function() while true do end end) end", "stopped: more than 50 ms in one tick"),
    ("local text = 'x' while true do text = text .. text end", "stopped: a string of more than 2 MiB"),
    ("string.rep('a', 90):match(('a?'):rep(90) .. ('a'):rep(90))", "stopped: more than 50 ms in one tick"),
    ("local t = {} t.__call = t setmetatable(t, t) t()", "stopped: more than 50 ms in one tick"),
])
def test_it_is_suspended_once_and_its_characters_keep_their_pose(stage, attack, said):
    server = stage(attack)
    client, other = server.client(), server.client()
    client.step(30)
    assert root(client, "mott")[0] > 0.3
    client.request("character.call", character="mott", command="attack")
    client.step(1)
    event = other.event("script.suspended")
    assert (event["script"], event["tick"]) == ("mott", 31) and said in event["message"]
    assert event["message"].startswith("mott: on_tick: ")
    client.step(1)
    poses = root(client, "mott"), root(client, "barry")
    client.step(120)
    assert (root(client, "mott"), root(client, "barry")) == poses
    assert count(client) == 152, "every tick was the bystander's too"
    error = client.error("character.call", character="barry", command="burn")
    assert error.code == -32004 and error.message.startswith("suspended until it is reloaded: ")
    client.request("character.play", character="mott", clip="rise")
    client.step(60)
    assert root(client, "mott")[0] != poses[0][0], "clients may still move it"
    other.drain()
    assert not other.take("script.suspended") and not other.take("script.failed")


def test_a_command_without_end_fails_its_caller(stage):
    client = stage().client()
    error = client.error("character.call", character="mott", command="loop")
    assert error.code == -32004 and "stopped: more than 50 ms in one tick" in error.message
    assert error.message.startswith("mott: commands.loop: ")
    assert "mott.lua" in error.data["traceback"]
    client.event("script.suspended", script="mott")
    client.step(3)
    assert count(client) == 3


def test_calls_of_a_paused_simulation_have_a_budget_again_and_again(stage):
    """Some ms each; together, many times what one tick has."""
    client = stage().client()
    for _ in range(100):
        client.request("character.call", character="mott", command="burn")
    client.drain()
    assert not client.take("script.suspended")


def test_a_flag_gives_more_time_and_memory(stage):
    client = stage("for _ = 1, 40000000 do end self.attacks = false", "--script-budget", "60000").client()
    client.request("character.call", character="mott", command="attack")
    client.step(2, timeout=60)
    client.drain()
    assert not client.take("script.suspended")


def test_prints_are_so_many_a_second(stage):
    client = stage().client()
    client.request("character.call", character="mott", command="chatter")
    client.drain(0.2)
    lines = [event["message"] for event in client.take("log")]
    assert lines == [f"mott: {i}" for i in range(1, 51)] + [
        "mott: more than 50 lines in a second: the rest is left out"]
    client.step(61)
    client.request("character.call", character="mott", command="chatter")
    assert client.event("log")["message"] == "mott: 1"


def test_files_that_would_hold_the_loader_up(tmp_path):
    slow, large, pipe = tmp_path / "slow.lua", tmp_path / "large.lua", tmp_path / "pipe.lua"
    slow.write_text(f"local x = {'a or ' * 60000}a")  # Lua compiles this in a time that grows with its square
    large.write_text(f"--{' ' * (1 << 20)}")
    os.mkfifo(pipe)
    for path, said in ((slow, f"{slow}: stopped: loading takes more than 200 ms"),
                       (large, f"cannot read {large}: expected at most 1 MiB, found more"),
                       (pipe, f"cannot read {pipe}: expected a file, found a pipe or device")):
        result = run("check", "--script-budget", "5", path, timeout=20)
        assert (result.returncode, result.stdout) == (1, f"{path}: error: {said}\n")


def test_a_pipe_in_place_of_a_script_holds_nothing_up(stage, tmp_path):
    server = stage()
    client = server.client()
    good = (tmp_path / "mott.lua").read_text()
    (tmp_path / "mott.lua").unlink()
    os.mkfifo(tmp_path / "mott.lua")
    error = client.error("script.reload", script="mott")
    assert "expected a file, found a pipe or device" in error.message
    client.step(3)
    assert count(client) == 3
    (tmp_path / "mott.lua").unlink()
    (tmp_path / "mott.lua").write_text(good)
    assert client.request("script.reload", script="mott") == {"scripts": ["mott"]}
    assert server.stop()[0] == 0
