"""Characters that come and go: character.spawn and character.remove, tweed.spawn and tweed.remove, and the loading of
scripts that are needed for the first time."""
import json
import os
import socket
import struct
import threading
import time

import numpy
import pytest
from harness import PATIENCE, RpcError, run

CAPE = """local tweed = require "tweed"
%s
local points = {}
for row = 0, 3 do for column = 0, 3 do points[#points + 1] = { column * .1, -row * .1, 0 } end end
return tweed.character {
  skeleton = tweed.skeleton { { name = "root", position = { 0, 1, 0 } } },
  clips = { sway = tweed.clip { duration = 2, sample = function(t)
    return { root = { x = .2 * math.sin(math.pi * t), z = 0, heading = 0 } }
  end } },
  garments = { tweed.cloth { name = "cape", fabric = "silk", rows = 4, columns = 4, positions = points, attach = "root",
                             max_distance = { top = 0, bottom = .3 } } },
  on_spawn = function(self, params)
    self.params = params
    if params.fail then error(params.fail) end
    if params.with then tweed.spawn { script = params.with } end
    if params.brief then self:remove() end
    self:play("sway", { loop = true, at = tweed.random() })
  end,
  on_tick = function(self)
    self.ticks = (self.ticks or 0) + 1
    if self.params.ticks == self.ticks then self:remove() end
  end,
  commands = {
    params = { run = function(self) return self.params end },
    spawn = { run = function(self, arguments) return tweed.spawn(arguments) end },
    remove = { run = function(self, arguments) return tweed.remove(arguments.name) end },
    leave = { run = function(self) self:remove(); return self.name end },
    stay = { run = function(self) self:run(function() while true do tweed.wait(.1) end end) end },
    ask = { run = function(self, arguments)
      self:run(function() self.answer = table.pack(pcall(tweed.request, table.unpack(arguments))) end)
    end },
    answer = { run = function(self) return self.answer and { done = self.answer[1], result = self.answer[2] } end },
  },
}
"""
SCENE = """return require "tweed".scene {
  wind = { velocity = { 1, 0, 2 }, turbulence = .5 },
  spawn = { { script = "cape", name = "alan" }, { script = "cape", name = "barry", position = { 2, 0, 0 } } } }
"""
# Takes its time to load, of the processor and of the clock.
SLOW = CAPE % "local sum = 0; for i = 1, 5e7 do sum = sum + i end"


class Stage:
    def __init__(self, folder):
        self.folder = folder
        self.scene = folder / "scene.lua"
        self.write("scene.lua", SCENE)
        self.write("cape.lua", CAPE % "")
        self.write("other.lua", CAPE % "")
        self.write("slow.lua", SLOW)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)


@pytest.fixture
def stage(tmp_path):
    return Stage(tmp_path)


def names(client):
    return [entry["name"] for entry in client.request("character.list")]


def call(client, command, character="alan", **arguments):
    return client.request("character.call", character=character, command=command, arguments=arguments)["result"]


def test_a_character_comes_and_goes(start, stage):
    client = start(scene=stage.scene).client()
    client.step(10)
    view = client.subscribe(characters=["alan", "c*"], space="world", layout="trs")["view"]
    reply = client.request("character.spawn", script="cape", name="carla", position=[3, 0, 1],
                           rotation=[0, 2, 0, 0], params={"hat": True, "list": [1, {"a": 2}]})
    assert reply == {"name": "carla", "tick": 10}
    assert client.event("character.spawned") == {"tick": 10, "character": "carla", "script": "cape", "revision": 1}
    assert client.event("stream.static", character="carla")["view"] == view  # at once: there may be no tick for long
    assert call(client, "params", "carla") == {"hat": True, "list": [1, {"a": 2}]}
    assert client.request("character.describe", character="carla")["params"] == {"hat": True, "list": [1, {"a": 2}]}
    assert "params" not in client.request("character.describe", character="alan")
    assert names(client) == ["alan", "barry", "carla"]
    frames = client.step(2)
    assert [(frame["character"], frame["tick"]) for frame in frames] == [
        ("alan", 11), ("carla", 11), ("alan", 12), ("carla", 12)]
    position, rotation = frames[1]["bones"][0][:3], frames[1]["bones"][0][3:7]
    assert abs(position[0] - 3) < .3 and abs(position[1] - 1) < 1e-5 and abs(position[2] - 1) < 1e-5
    assert abs(abs(rotation[1]) - 1) < 1e-5

    assert client.request("character.remove", character="alan") == {"tick": 12}
    assert client.event("character.removed") == {"tick": 12, "character": "alan"}
    assert client.error("character.describe", character="alan").code == -32001
    assert [frame["character"] for frame in client.step(2)] == ["carla", "carla"]
    assert client.request("server.stats")["characters"] == 2
    client.request("character.spawn", script="cape", name="alan")
    assert names(client) == ["barry", "carla", "alan"]
    assert [frame["character"] for frame in client.step(1)] == ["carla", "alan"]
    client.request("character.spawn", script="cape", name="dora")  # matches no pattern
    assert [frame["character"] for frame in client.step(1)] == ["carla", "alan"]


def test_before_its_first_tick_it_has_no_frame(start, stage):
    client = start(scene=stage.scene).client()
    client.step(3)
    client.request("character.spawn", script="cape", name="carla")
    assert client.subscribe(characters=["*"])["characters"] == ["alan", "barry", "carla"]
    client.request("simulation.step", ticks=1)
    assert [(frame["tick"], frame["character"]) for frame in client.take("stream.frame")] == [
        (3, "alan"), (3, "barry"), (4, "alan"), (4, "barry"), (4, "carla")]
    assert [static["character"] for static in client.take("stream.static")] == ["alan", "barry", "carla"]


def test_frames_stay_with_their_characters(start, stage):
    """While a client does not read, characters before those that it is owed go."""
    server = start(scene=stage.scene)
    client, other = server.client(), server.client()
    for i in range(70):
        client.request("character.spawn", script="cape", name=f"c{i}", position=[i, 0, 9])
    client.step(1)
    view = {"characters": ["c6*"], "layout": "trs", "space": "world", "bones": ["root"]}
    other.subscribe(**view)
    for name in ["c6", *(f"c{i}" for i in range(60, 70))]:
        assert other.event("stream.frame")["character"] == name
    for i in range(0, 60):
        client.request("character.remove", character=f"c{i}")
    client.request("character.remove", character="c65")
    left = [f"c{i}" for i in range(60, 70) if i != 65]
    third = server.client()
    third.subscribe(**view)  # what was encoded for the other one
    frames = [third.event("stream.frame") for _ in left]
    assert [frame["character"] for frame in frames] == left
    other.request("simulation.step", ticks=2)
    frames += other.take("stream.frame")
    assert [frame["character"] for frame in frames if frame["tick"] == 3] == left
    for frame in frames:
        assert abs(frame["bones"][0][0] - int(frame["character"][1:])) < .5


def test_all_can_go(start, stage):
    client = start(scene=stage.scene).client()
    client.subscribe(characters=["*"])
    for name in names(client):
        client.request("character.remove", character=name)
    assert client.step(3) == [] and names(client) == []
    stats = client.request("server.stats")
    assert (stats["characters"], stats["garments"], stats["particles"], stats["asleep"]) == (0, 0, 0, 0)
    client.request("character.spawn", script="cape")
    assert len(client.step(3)) == 3


def test_names(start, stage):
    client = start(scene=stage.scene).client()
    assert client.request("character.spawn", script="cape")["name"] == "cape"
    assert client.request("character.spawn", script="cape.lua")["name"] == "cape_2"
    assert client.request("character.spawn", script="other")["name"] == "other"
    error = client.error("character.spawn", script="cape", name="alan")
    assert (error.code, error.path, error.message) == (-32003, "params.name", 'there is a character "alan" already')
    error = client.error("character.remove", character="alam")
    assert (error.code, error.path) == (-32001, "params.character")
    assert error.message == 'no character "alam"; did you mean "alan"?'
    client.request("character.remove", character="cape")
    assert client.request("character.spawn", script="cape")["name"] == "cape"
    assert names(client) == ["alan", "barry", "cape_2", "other", "cape"]


@pytest.mark.parametrize("params, code, path, message", [
    ({"script": "capes"}, -32001, "params.script", 'no script "capes"; did you mean "cape"?'),
    ({"script": "characters/weke"}, -32001, "params.script", 'did you mean "characters/wake"?'),
    ({"script": "../cape"}, -32602, "params.script", "expected the name of a script"),
    ({"script": "/etc/passwd"}, -32602, "params.script", "expected the name of a script"),
    ({"script": "link"}, -32001, "params.script", 'no script "link"'),
    ({"script": "x" * 1025}, -32602, "params.script", "a string from 1 to 1024 bytes"),
    ({"script": ""}, -32602, "params.script", "a string from 1 to 1024 bytes"),
    ({}, -32602, "params.script", "params.script is missing"),
    ({"script": "cape", "name": "a*"}, -32602, "params.name", "without * ? ["),
    ({"script": "cape", "name": ""}, -32602, "params.name", "1 to 64 bytes"),
    ({"script": "cape", "position": [0, 0, 1e7]}, -32602, "params.position[2]", "-1000000 to 1000000"),
    ({"script": "cape", "rotation": [0, 0, 0, 0]}, -32602, "params.rotation", "length at least 0.001"),
    ({"script": "cape", "params": 5}, -32602, "params.params", "must be an object or an array, not 5"),
    ({"script": "cape", "parms": {}}, -32602, "params.parms", "params"),
])
def test_mistakes_change_nothing(start, stage, params, code, path, message):
    outside = stage.folder.parent / (stage.folder.name + "_outside.lua")
    outside.write_text(CAPE % "")
    os.symlink(outside, stage.folder / "link.lua")
    client = start(scene=stage.scene).client()
    error = client.error("character.spawn", **params)
    assert (error.code, error.path) == (code, path) and message in error.message
    assert names(client) == ["alan", "barry"]
    client.drain()
    assert client.kept == type(client.kept)()
    outside.unlink()


def test_a_script_that_fails(start, stage):
    stage.write("broken.lua", "local x = nil\nreturn x.y\n")
    stage.write("wrong.lua", (CAPE % "").replace('fabric = "silk"', 'fabric = "slik"'))
    client = start(scene=stage.scene).client()
    for script, message, traceback in [
        ("broken", "broken.lua:2: attempt to index a nil value", "broken.lua:2: "),
        ("wrong", 'no fabric "slik"; did you mean "silk"?', "wrong.lua"),
        ("scene", "expected the file to return tweed.character{...}", "scene.lua"),
    ]:
        error = client.error("character.spawn", script=script)
        assert error.code == -32004 and message in error.message and traceback in error.data["traceback"]
    error = client.error("character.spawn", script="cape", name="x", params={"fail": "on purpose", "with": "other"})
    assert error.code == -32004 and "on purpose" in error.message
    assert "cape.lua:14: in a function" in error.data["traceback"]
    client.step(2)
    assert names(client) == ["alan", "barry"]  # and what its on_spawn wished for does not come either
    stage.write("broken.lua", CAPE % "")
    assert client.request("character.spawn", script="broken")["name"] == "broken"
    client.drain()
    assert [event["character"] for event in client.take("character.spawned")] == ["broken"]


def test_what_a_failed_on_spawn_wished_for_does_not_come(start, stage):
    stage.write("cape.lua", (CAPE % "").replace("    if params.fail", """
    if params.first then tweed.spawn { script = params.first, name = "first" } end
    if params.fail"""))
    client = start(scene=stage.scene).client()
    assert client.error("character.spawn", script="cape", params={"first": "other", "fail": "x"}).code == -32004
    assert client.request("character.spawn", script="cape", name="y", params={"first": "other"})["name"] == "y"
    client.step(2)
    assert names(client) == ["alan", "barry", "y", "first"]


def test_the_limit(start, stage):
    client = start("--max-characters", 8, scene=stage.scene).client()
    for i in range(6):
        client.request("character.spawn", script="cape")
    error = client.error("character.spawn", script="cape")
    assert (error.code, error.message) == (-32003, "there are 8 characters already, the most there can be")
    error = client.error("character.call", character="alan", command="spawn", arguments={"script": "cape"})
    assert "there are 8 characters already, the most there can be" in error.message
    client.step(2)
    assert len(names(client)) == 8
    client.request("character.remove", character="barry")
    assert call(client, "spawn", script="slow") == "slow"
    assert client.error("character.spawn", script="cape").code == -32003  # what is on its way counts
    client.step(3)
    assert len(names(client)) == 8
    client.request("character.remove", character="cape")
    error = client.error("character.spawn", script="cape", params={"with": "other"})  # it is one of the eight
    assert error.code == -32004 and "there are 8 characters already, the most there can be" in error.message
    assert len(names(client)) == 7


def test_a_scene_of_too_many_does_not_start(stage):
    result = run("serve", stage.scene, "--max-characters", 1, "--listen", "127.0.0.1:0")
    assert result.returncode == 1 and "there are 1 characters already, the most there can be" in result.stderr
    result = run("serve", stage.scene, "--max-characters", 4097)
    assert result.returncode == 2
    assert '--max-characters: expected a whole number from 1 to 4096, found "4097"' in result.stderr


def test_scripts_spawn_and_remove(start, stage):
    client = start(scene=stage.scene).client()
    client.subscribe(characters=["*"])
    assert call(client, "spawn", script="cape", name="x", params={"ticks": 3}) == "x"
    assert names(client) == ["alan", "barry"]  # not before the next tick
    frames = [(frame["tick"], frame["character"]) for frame in client.step(6) if frame["character"] == "x"]
    assert frames == [(1, "x"), (2, "x"), (3, "x")]  # its third on_tick, before tick 4, was its last
    assert client.event("character.removed") == {"tick": 4, "character": "x"}
    assert call(client, "leave", "barry") == "barry"
    assert client.event("character.removed") == {"tick": 6, "character": "barry"}  # while paused at once
    call(client, "spawn", script="cape", name="y")
    assert call(client, "remove", name="y") is None  # before it has come
    client.step(1)
    assert names(client) == ["alan"]
    for command, arguments, message in [
        ("spawn", {"script": "cap"}, 'tweed.spawn: no script "cap"; did you mean "cape"?'),
        ("spawn", {"script": "../cape"}, 'tweed.spawn: expected the name of a script, such as "characters/wake"'),
        ("spawn", {"script": "cape", "name": "alan"}, 'tweed.spawn: there is a character "alan" already'),
        ("remove", {"name": "alam"}, 'tweed.remove: no character "alam"; did you mean "alan"?'),
    ]:
        error = client.error("character.call", character="alan", command=command, arguments=arguments)
        assert error.code == -32004 and message in error.message
    reply = client.request("character.spawn", script="cape", name="z", params={"brief": True})
    assert client.event("character.removed")["character"] == reply["name"] == "z"


def test_who_is_removed_on_the_way_does_not_come(start, stage):
    stage.write("cape.lua", (CAPE % "").replace("    self.ticks = ", """    if self.name == "alan" and not self.ticks then
      for _, script in ipairs { "cape", "other" } do
        local name = tweed.spawn { script = script }
        tweed.remove(name)
        tweed.remove(name)  -- once is enough, twice does no harm
      end
    end
    self.ticks = """))
    client = start(scene=stage.scene).client()
    client.step(3)
    assert names(client) == ["alan", "barry"] and not client.take("character.spawned")


def test_what_an_on_spawn_wants_while_paused_is_done_at_once(start, stage):
    """However long its script took to load."""
    client = start(scene=stage.scene).client()
    for script in ["slow", "cape"]:
        client.request("character.spawn", script=script, name="carla", params={"brief": True})
        assert names(client) == ["alan", "barry"]
        assert client.event("character.removed") == {"tick": 0, "character": "carla"}


def test_scripts_hear_of_both(start, stage):
    stage.write("cape.lua", (CAPE % "").replace("    self.params = params", """    self.params = params
    self.heard = {}
    for _, event in ipairs { "character.spawned", "character.removed" } do
      tweed.on(event, function(what) table.insert(self.heard, event .. " " .. what.character .. " " .. what.tick) end)
    end""").replace("return self.params end", "return self.heard end"))
    client = start(scene=stage.scene).client()
    client.step(1)
    client.request("character.spawn", script="other", name="x")
    client.request("character.remove", character="x")
    client.step(1)
    assert call(client, "params") == call(client, "params", "barry") == [
        "character.spawned x 1", "character.removed x 1"]


def test_what_was_sent_to_one_who_has_gone(start, stage):
    server = start("--pose-timeout", 1, scene=stage.scene)
    client, driver = server.client(), server.client()
    turned = {"root": {"rotation": [0, 0, 1, 0]}}
    for name in ("x", "y"):
        client.request("character.spawn", script="cape", name=name)
        driver.request("character.pose", character=name, bones=turned, space="parent")
    client.step(2)
    requests = [client.start("character.remove", character="x"),
                client.start("character.move", character="x", position=[0, 0, 0])]
    client.notify("character.pose", character="x", bones=turned, space="parent")
    assert client.finish(requests[0]) == {"tick": 2}
    with pytest.raises(RpcError) as error:
        client.finish(requests[1])
    assert (error.value.code, error.value.path) == (-32001, "params.character")
    client.request("character.spawn", script="cape", name="x")  # another one, whom nobody has posed
    view = client.subscribe(characters=["x", "y"], bones=["root"], layout="trs", space="model")["view"]
    frames = {frame["character"]: frame["bones"][0] for frame in client.step(1) if frame["view"] == view}
    assert abs(frames["y"][5]) > .99 and abs(frames["x"][5]) < .01
    driver.close()
    client.step(120)
    client.request("character.remove", character="y")
    client.step(2)
    assert names(client) == ["alan", "barry", "x"]


def test_a_script_asks_for_a_character(start, stage):
    client = start(scene=stage.scene).client()
    for script in ("cape", "slow", "slow"):
        client.request("character.call", character="alan", command="ask",
                       arguments=["character.spawn", {"script": script, "params": {"from": "alan"}}])
        client.step(3)
        answer = call(client, "answer")
        assert answer["done"], answer
        assert call(client, "params", answer["result"]["name"]) == {"from": "alan"}
    client.request("character.call", character="alan", command="ask",
                   arguments=["character.remove", {"character": "slow"}])
    client.step(2)
    assert call(client, "answer")["done"] and names(client) == ["alan", "barry", "cape", "slow_2"]
    client.request("character.call", character="alan", command="ask",
                   arguments=["character.spawn", {"script": "solw"}])
    client.step(2)
    assert call(client, "answer") == {
        "done": False, "result": 'character.spawn: params.script: no script "solw"; did you mean "slow"?'}


def test_those_that_wait_are_gone_with_their_character(start, stage):
    client = start(scene=stage.scene).client()
    client.request("character.spawn", script="cape", name="x")
    call(client, "stay", "x")
    client.request("character.call", character="x", command="ask", arguments=["character.spawn", {"script": "slow"}])
    client.request("character.remove", character="x")
    client.step(30)
    assert names(client) == ["alan", "barry", "slow"]  # what it asked for comes


# Loading
# ----------------------------------------------------------------------------------------------------------------------


def test_no_tick_waits_for_a_script_to_load(start, stage):
    server = start(scene=stage.scene, paused=False)
    client, other = server.client(), server.client()
    request = client.start("character.spawn", script="slow")
    before = other.request("session.ping")["tick"]
    reply = client.finish(request)  # loading takes some tenths of a second, in which others have their ticks
    assert reply["name"] == "slow" and reply["tick"] > before + 4
    assert client.event("character.spawned")["tick"] == reply["tick"]


def test_requests_wait_in_order(start, stage):
    server = start(scene=stage.scene)
    client, other = server.client(), server.client()
    spawn = client.start("character.spawn", script="slow", name="s")
    play = client.start("character.play", character="s", clip="sway")
    assert names(other) == ["alan", "barry"]  # others are served meanwhile
    assert other.error("character.spawn", script="cape", name="s").path == "params.name"
    assert client.finish(spawn) == {"name": "s", "tick": 0}
    assert client.finish(play) == {"tick": 0}


def replies(client, count):
    """By id; what else comes is kept."""
    found = {}
    while len(found) < count:
        message = client.read()
        if "id" in message:
            found[message["id"]] = message
        else:
            client.kept.append(message)
    return found


def test_the_end_of_those_who_wait(start, stage):
    server = start(scene=stage.scene)
    client, other, third = server.client(), server.client(), server.client()
    gone = other.start("character.spawn", script="slow", name="gone")
    removed = third.start("character.spawn", script="slow", name="removed")
    stays = client.start("character.spawn", script="slow", name="stays")
    fourth = server.client()
    assert fourth.error("character.spawn", script="cape", name="removed").code == -32003  # by now it is on its way
    other.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    other.close()  # by a reset: else it might still read its answer
    assert fourth.request("character.remove", character="removed") == {"tick": 0}
    with pytest.raises(RpcError) as error:
        third.finish(removed)
    assert (error.value.code, str(error.value.message)) == (-32003, "removed before it was spawned")
    assert client.finish(stays)["name"] == "stays"
    assert names(client) == ["alan", "barry", "stays"] and gone
    assert client.request("character.spawn", script="slow", name="gone")["name"] == "gone"


def test_a_half_closed_connection_has_its_answer(start, stage):
    server = start(scene=stage.scene)
    client = server.client()
    request = client.start("character.spawn", script="slow")
    client.socket.shutdown(socket.SHUT_WR)
    assert client.finish(request)["name"] == "slow"


def test_loading_has_an_end(start, stage):
    stage.write("endless.lua", "while true do end")
    server = start("--script-budget", 5, scene=stage.scene, paused=False)
    client, other = server.client(), server.client()
    request = client.start("character.spawn", script="endless")
    before = other.request("session.ping")["tick"]
    with pytest.raises(RpcError) as error:
        client.finish(request)
    assert (error.value.code, error.value.path) == (-32004, "params.script")
    assert "endless.lua" in error.value.message and "stopped: loading takes more than 200 ms" in error.value.message
    assert other.request("session.ping")["tick"] > before + 4 and names(other) == ["alan", "barry"]


def test_who_is_new_in_a_scene_is_loaded_too(start, stage):
    client = start(scene=stage.scene).client()
    stage.write("scene.lua", SCENE.replace("spawn = {", 'spawn = { { script = "slow", name = "new" },'))
    client.request("script.reload", script="scene")
    assert names(client) == ["alan", "barry"]
    client.step(2)
    assert names(client) == ["alan", "barry", "new"]


def test_reloads_and_loads_take_turns(start, stage):
    server = start(scene=stage.scene)
    client, other = server.client(), server.client()
    spawn = client.start("character.spawn", script="slow")
    assert other.request("script.reload", script="cape") == {"scripts": ["cape"]}
    assert client.finish(spawn)["name"] == "slow"
    assert other.request("script.reload", script="slow") == {"scripts": ["slow"]}
    assert call(client, "params", "slow") == {}
    listed = {entry["script"]: entry for entry in client.request("script.list")}
    assert listed["slow"]["loaded"] and listed["slow"]["characters"] == 1


def test_whom_a_failed_on_spawn_removes_stays(start, stage):
    stage.write("cape.lua", (CAPE % "").replace("    if params.fail", """
    if params.gone then
      tweed.remove(params.gone)
      tweed.request("character.remove", { character = "barry" })
      self:remove()
    end
    if params.fail"""))
    client = start(scene=stage.scene).client()
    call(client, "spawn", script="cape", name="x", params={"gone": "alan", "fail": "on purpose"})
    call(client, "spawn", script="cape", name="y")
    client.step(2)
    assert "on purpose" in client.event("script.failed")["message"]
    assert names(client) == ["alan", "barry", "y"]
    call(client, "spawn", script="cape", name="x", params={"gone": "alan"})
    client.step(2)
    assert names(client) == ["y"]


def test_a_script_that_many_wish_for_fails_once(start, stage):
    stage.write("broken.lua", "return nil + 1")
    client = start(scene=stage.scene).client()
    assert [call(client, "spawn", script="broken") for _ in range(3)] == ["broken", "broken_2", "broken_3"]
    client.step(2)
    failures = client.take("script.failed")
    assert [(event["script"], event["tick"]) for event in failures] == [("broken", 1)]
    assert "broken.lua:1: attempt to perform arithmetic" in failures[0]["message"]
    assert client.request("character.spawn", script="cape", name="broken")["name"] == "broken"  # the name is free


BROKEN = CAPE % "local parts = require 'parts'"
WISHER = (CAPE % "").replace("self.ticks = (", """if self.name == "alan" then
      self.wished = (self.wished or 0) + 1
      tweed.spawn { script = "broken.lua" }
      self:run(function() self.answer = table.pack(pcall(tweed.request, "character.spawn", { script = "broken" })) end)
    end
    self.ticks = (""")


def start_wisher(start, stage):
    """A server whose alan wishes for a script that does not load in every tick, after sixty of them."""
    stage.write("parts.lua", "return nil + 1")
    stage.write("broken.lua", BROKEN)
    stage.write("cape.lua", WISHER)
    client = start(scene=stage.scene).client()
    client.step(60)
    return client


def test_a_script_that_is_wished_for_in_every_tick_fails_once(start, stage):
    client = start_wisher(start, stage)
    assert [(event["script"], event["tick"]) for event in client.take("script.failed")] == [("broken", 2)]
    answer = call(client, "answer")
    assert not answer["done"] and "character.spawn: params.script: " in answer["result"]
    assert "parts.lua:1: attempt to perform arithmetic" in answer["result"]
    listed = {entry["script"]: entry for entry in client.request("script.list")}["broken"]
    assert not listed["loaded"] and "parts.lua:1: attempt to perform arithmetic" in listed["message"]
    for method in ("character.spawn", "script.reload"):  # who asks for it is told anew
        stage.write("parts.lua", f"return nil + {len(method)}")
        client.event("script.failed", script="broken")
        error = client.error(method, script="broken")
        assert error.code == -32004 and "parts.lua:1: attempt to perform arithmetic" in error.message
        client.step(5)
    assert names(client) == ["alan", "barry"]


@pytest.mark.parametrize("how", ["saved", "reload", "spawn"])
def test_a_script_that_has_failed_is_tried_again_when_there_is_a_reason(start, stage, how):
    client = start_wisher(start, stage)
    client.kept.clear()
    if how == "saved":
        stage.write("parts.lua", "return {}")
        assert client.event("script.loaded")["script"] == "broken"
    else:
        client.step(3)
        stage.write("parts.lua", "return {}")
        if how == "reload":
            assert client.request("script.reload", script="broken") == {"scripts": ["broken"]}
        else:
            assert client.request("character.spawn", script="broken", name="asked")["name"] == "asked"
    client.step(2)
    assert {"broken", "broken_2"} <= set(names(client))
    listed = {entry["script"]: entry for entry in client.request("script.list")}["broken"]
    assert listed["loaded"] and "message" not in listed
    assert not client.take("script.failed")
    client.kept.clear()
    stage.write("broken.lua", (CAPE % "").replace("return self.params end", "return 7 end"))  # an ordinary one by now
    while call(client, "params", "broken") != 7:  # parts.lua may be noticed only now, and load it once more
        client.event("script.loaded", script="broken")


def test_who_is_wanted_while_a_script_is_tried_again_comes(start, stage):
    stage.write("broken.lua", "return nil + 1")
    client = start(scene=stage.scene).client()
    call(client, "spawn", script="broken")
    client.step(2)
    client.event("script.failed", script="broken")
    stage.write("broken.lua", SLOW)
    time.sleep(.15)  # it is being loaded; where not yet, there is less to see
    call(client, "spawn", script="broken", name="wished")
    client.request("character.spawn", script="broken", name="asked")
    client.step(2)
    assert set(names(client)) == {"alan", "barry", "wished", "asked"}
    client.kept.clear()
    stage.write("broken.lua", (CAPE % "").replace("return self.params end", "return 7 end"))
    client.event("script.loaded", script="broken")
    assert [call(client, "params", name) for name in ("wished", "asked")] == [7, 7]


def test_a_script_that_wants_a_fabric_comes_when_there_is_one(start, stage):
    stage.write("fabrics/wool.lua", 'return tweed.fabric { name = "wool", base = "silk" }')
    stage.write("late.lua", (CAPE % "").replace('"silk"', '"felt"'))
    client = start(scene=stage.scene).client()
    call(client, "spawn", script="late")
    client.step(2)
    assert 'no fabric "felt"' in client.event("script.failed")["message"]
    stage.write("fabrics/felt.lua", 'return tweed.fabric { name = "felt", base = "silk" }')
    client.event("script.loaded", script="late")
    assert call(client, "spawn", script="late") == "late"
    client.step(1)
    assert names(client) == ["alan", "barry", "late"]


def test_a_fabric_that_goes_while_a_script_waits_is_missed(start, stage):
    stage.write("fabrics/felt.lua", 'return tweed.fabric { name = "felt", damping = 2 }')
    stage.write("late.lua", SLOW.replace('"silk"', '"felt"'))
    client = start(scene=stage.scene).client()
    call(client, "spawn", script="late")
    (stage.folder / "fabrics/felt.lua").unlink()
    client.request("script.reload")
    assert "felt" not in [fabric["name"] for fabric in client.request("fabric.list")]
    client.step(2)
    event = client.event("script.failed")
    assert (event["script"], event["message"]) == ("late", 'fabric "felt" was removed, but late needs it')
    assert names(client) == ["alan", "barry"]


def test_a_file_that_is_saved_while_it_is_loaded_counts(start, stage):
    stage.write("late.lua", SLOW.replace("return self.params end", "return 1 end"))
    client = start(scene=stage.scene).client()
    call(client, "spawn", script="late")
    time.sleep(.15)  # it has been read, and is still being loaded; where not, there is less to see
    stage.write("late.lua", SLOW.replace("return self.params end", "return 2 end"))
    client.step(2)
    deadline = time.monotonic() + 10 * PATIENCE
    while call(client, "params", "late") != 2:  # by then or, where it was loaded already, soon after
        assert time.monotonic() < deadline


@pytest.mark.parametrize("folder", ["", "deep/"])
def test_a_module_that_is_saved_while_a_script_is_loaded_counts(start, stage, folder):
    slow = SLOW.replace("local sum", f"local version = require '{folder.replace('/', '.')}version'\nlocal sum")
    stage.write(f"{folder}version.lua", "return 1")
    stage.write("late.lua", slow.replace("return self.params end", "return version end"))
    client = start(scene=stage.scene).client()
    call(client, "spawn", script="late")
    time.sleep(.15)  # it has been read, and is still being loaded; where not, there is less to see
    stage.write(f"{folder}version.lua", "return 2")
    client.step(2)
    deadline = time.monotonic() + 10 * PATIENCE
    while call(client, "params", "late") != 2:
        assert time.monotonic() < deadline


def test_a_module_that_is_saved_while_the_server_starts_counts(start, stage):
    slow = SLOW.replace("local sum", "local version = require 'deep.version'\nlocal sum")
    stage.write("deep/version.lua", "return 1")
    stage.write("cape.lua", slow.replace("return self.params end", "return version end"))
    saving = threading.Timer(.3, stage.write, ("deep/version.lua", "return 2"))  # it has been read by then
    saving.start()
    client = start(scene=stage.scene).client()
    saving.join()
    deadline = time.monotonic() + 10 * PATIENCE
    while call(client, "params", "alan") != 2:
        assert time.monotonic() < deadline


def test_the_server_ends_while_a_script_is_loaded(start, stage):
    server = start(scene=stage.scene)
    client, other = server.client(), server.client()
    client.start("character.spawn", script="slow")
    call(other, "spawn", script="slow")
    other.request("character.call", character="alan", command="ask", arguments=["character.spawn", {"script": "slow"}])
    assert server.stop()[0] == 0


def lines_of(start, stage, delay, *options):
    """What a client that steps gets to read of a run in which scripts are loaded, on a machine that may be busy."""
    stage.write("cape.lua", (CAPE % "").replace("  on_tick = function(self)", """  on_tick = function(self)
    if self.name == "alan" and self.ticks == 3 then
      tweed.spawn { script = "slow", name = "by tick" }
      tweed.spawn { script = "cape", name = "known" }
    end
    if self.name == "alan" and self.ticks == 9 then tweed.remove("by tick") end"""))
    stage.write("slow.lua", CAPE % f"local sum = 0; for i = 1, {delay} do sum = sum + i end")
    client = start(*options, scene=stage.scene).client()
    client.subscribe(particles=True)
    client.request("simulation.step", ticks=6)
    call(client, "spawn", script="other", name="by command")
    client.request("simulation.step", ticks=1)
    client.request("character.spawn", script="slow", name="by request")
    client.request("character.call", character="barry", command="ask", arguments=["character.spawn", {"script": "late"}])
    client.request("simulation.step", ticks=3)
    client.request("character.remove", character="barry")
    client.request("simulation.step", ticks=4)
    lines = [message["raw"] for message in client.kept]
    return lines + [json.dumps(client.request("character.list")).encode()]


def test_runs_repeat_however_long_loading_takes(start, stage):
    stage.write("late.lua", SLOW)
    first = lines_of(start, stage, 1, "--seed", 4)
    text = b"\n".join(first)
    for name in (b"by tick", b"by command", b"by request", b"late", b"known"):
        assert b'"character.spawned"' in text and name in text
    assert lines_of(start, stage, 3e7, "--seed", 4, "--threads", 1) == first
    assert lines_of(start, stage, 1, "--seed", 5) != first


# Crowds
# ----------------------------------------------------------------------------------------------------------------------


def frames_of(client, character, ticks):
    return [(frame["tick"], frame["bones"], frame["particles"]) for frame in client.step(ticks)
            if frame["character"] == character]


def test_others_do_not_notice(start, stage):
    """The frames of two characters are the same bytes while others of their rig, which share their vectors, come and
    go."""
    quiet, busy = start(scene=stage.scene).client(), start(scene=stage.scene).client()
    for client in (quiet, busy):
        client.subscribe(characters=["alan", "barry"], particles=True)
    here = []
    roll = numpy.random.default_rng(3)
    for turn in range(40):
        for _ in range(roll.integers(0, 9)):
            if here and roll.random() < .45:
                busy.request("character.remove", character=here.pop(roll.integers(len(here))))
            else:
                here.append(busy.request("character.spawn", script="cape", position=[len(here), 0, 3])["name"])
        for client in (quiet, busy):
            client.request("simulation.step", ticks=2)
        mine = [message["raw"] for message in quiet.kept if message["method"] == "stream.frame"]
        theirs = [message["raw"] for message in busy.kept if message["method"] == "stream.frame"]
        assert mine == theirs
        quiet.kept.clear()
        busy.kept.clear()


def test_sleepers_come_and_go(start, stage):
    stage.write("still.lua", (CAPE % "").replace('self:play("sway"', 'self:stop("sway") local _ = ({ "sway"').replace("tweed.random() })", "0 } })"))
    stage.write("scene.lua", 'return require "tweed".scene { spawn = { { script = "cape", name = "alan" } } }')
    client = start(scene=stage.scene).client()
    sleepers = [client.request("character.spawn", script="still", position=[i, 0, 0])["name"] for i in range(5)]
    client.request("simulation.step", ticks=1200)
    asleep = client.request("server.stats")["asleep"]
    assert asleep == 5
    client.request("character.remove", character=sleepers[1])
    client.request("character.remove", character=sleepers[4])
    stats = client.request("server.stats")
    assert (stats["asleep"], stats["characters"]) == (3, 4)
    client.request("character.spawn", script="still", name="late")
    client.subscribe(characters=["*"])
    frames = client.step(2)
    assert {frame["character"] for frame in frames} == {"alan", "late", *sleepers[:1], *sleepers[2:4]}
    assert client.request("server.stats")["asleep"] == 3


def test_200_come_and_go_while_others_watch(start, stage):
    server = start("--rate", 240, scene=stage.scene, paused=False)
    client, watcher = server.client(), server.client()
    watcher.subscribe(characters=["*"], rate=20, precision=3, static=False, bones=["root"])
    watched = server.client()
    watched.subscribe(characters=["alan"], policy="queue", static=False)
    memory = []
    for turn in range(20):
        spawned = [client.start("character.spawn", script="cape", position=[i, 0, turn]) for i in range(200)]
        for request in spawned:
            client.finish(request)
        removed = [client.start("character.remove", character=name) for name in names(client)[2:]]
        for request in removed:
            client.finish(request)
        watcher.drain()
        watcher.kept.clear()
        watched.drain()
        client.kept.clear()
        assert names(client) == ["alan", "barry"]
        stats = client.request("server.stats")
        assert stats["characters"] == 2
        memory.append((server.resident_bytes(), stats["memory"]["scripts_bytes"]))
    in_lua = [bytes for _, bytes in memory]  # with what Lua has not collected yet
    assert min(in_lua[10:]) < max(in_lua[:10])
    kept = 384 << 20 if PATIENCE > 1 else 0  # of what was freed, by the sanitizer, which tells of leaks by the status
    assert memory[-1][0] < memory[2][0] + (4 << 20) + kept
    ticks = [frame["tick"] for frame in watched.take("stream.frame")]
    assert len(ticks) > 5 and ticks == list(range(ticks[0], ticks[0] + len(ticks)))
    assert server.stop()[0] == 0
