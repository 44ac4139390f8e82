"""Hot reload: scripts are loaded anew when a file they were read from is saved, or when a client asks; swapped in
only when they are whole, without a pop of the cloth."""
import os
import random
import shutil
import time

import numpy
import pytest
from harness import PATIENCE, QUARANTINE, SANITIZED, RpcError

HELPER = """return { swing = %s, columns = %s }
"""
FABRIC = """return tweed.fabric { name = "wool", damping = %s, density = .3 }
"""
CHARACTER = """local tweed = require "tweed"
local helper = require "helper"
local points = {}
for row = 0, 5 do for column = 0, helper.columns - 1 do
  points[#points + 1] = { column * .08, -row * .08, 0 }
end end
return tweed.character {
  skeleton = tweed.skeleton { { name = "root", position = { 0, 1, 0 } } },
  clips = { sway = tweed.clip { duration = 4, sample = function(t)
    return { root = { x = helper.swing * math.sin(math.pi * t / 2), z = 0, heading = 0 } }
  end } },
  garments = { tweed.cloth { name = "cape", fabric = "wool", rows = 6, columns = helper.columns, positions = points,
                             attach = "root", max_distance = { top = 0, bottom = .5 } } },
  on_spawn = function(self, params)
    self.number = %s
    self:play("sway", { loop = true })
  end,
  on_tick = function(self) self.ticks = (self.ticks or 0) + 1 end,
  commands = {
    number = { run = function(self) return self.number end },
    loop = { run = function() while true do end end },
  },
}
"""
SCENE = """local tweed = require "tweed"
return tweed.scene { wind = tweed.wind { velocity = { 0, 0, %s } }, spawn = {
  { script = "alan", name = "alan" }, { script = "alan", name = "barry" }, { script = "alice", name = "alice" } } }
"""


class Stage:
    """A folder with two scripts that share a helper and a fabric, and a server that runs it."""

    def __init__(self, folder):
        self.folder = folder
        self.write("helper.lua", HELPER % (.3, 7))
        self.write("fabrics/wool.lua", FABRIC % 1)
        self.write("alan.lua", CHARACTER % 1)
        self.write("alice.lua", CHARACTER % 1)
        self.write("scene.lua", SCENE % 1)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def replace(self, name, text):
        """As many editors save: a new file, renamed to the old one's name."""
        temporary = self.folder / (name + ".new")
        temporary.write_text(text)
        os.rename(temporary, self.folder / name)


@pytest.fixture
def stage(tmp_path):
    return Stage(tmp_path)


def number(client, character):
    return client.request("character.call", character=character, command="number")["result"]


def particles(client, ticks, character="alan", view={}):
    """Positions of the cape after each of so many ticks."""
    if client not in view:
        view.clear()
        view[client] = client.subscribe(characters=["*"], particles=True, space="model", policy="queue")["view"]
        client.event("stream.frame", character=character)
    client.drain()
    client.kept.clear()
    frames = [frame for frame in client.step(ticks) if frame["character"] == character]
    assert len(frames) == ticks
    return numpy.array([frame["particles"]["cape"] for frame in frames]).reshape(ticks, -1, 3)


def loaded(client, *scripts):
    """Waits until each of the scripts was loaded, in any order."""
    missing = set(scripts)
    while missing:
        message = client.next_notification("script.loaded")
        missing.discard(message["params"]["script"])


def test_a_saved_script_takes_effect(start, stage):
    server = start(scene=stage.folder / "scene.lua")
    client, other = server.client(), server.client()
    client.step(30)
    assert number(client, "alan") == 1
    stage.write("alan.lua", CHARACTER % 2)
    event = other.event("script.loaded")
    assert event == {"tick": 30, "script": "alan"}
    assert {other.event("character.changed")["character"] for _ in range(2)} == {"alan", "barry"}
    assert (number(client, "alan"), number(client, "barry"), number(client, "alice")) == (2, 2, 1)
    client.step(5)
    assert [entry["revision"] >= 2 for entry in client.request("character.list")] == [True, True, False]


def quick(a, b):
    """The fastest motion of a particle between two shapes, m/s at 60 Hz."""
    return float(numpy.linalg.norm(b - a, axis=-1).max() * 60)


def test_saving_anything_it_was_read_from_changes_the_cloth_without_a_pop(start, stage):
    server = start(scene=stage.folder / "scene.lua")
    client, other = server.client(), server.client()
    calm = particles(client, 240)
    limit = 1.5 * max(quick(a, b) for a, b in zip(calm[-120:], calm[-119:])) + .15
    before = calm[-1]
    for change, scripts in [
        (lambda: stage.write("fabrics/wool.lua", FABRIC % 30), ["fabrics/wool"]),
        (lambda: stage.replace("fabrics/wool.lua", FABRIC % 4), ["fabrics/wool"]),
        (lambda: stage.replace("alan.lua", CHARACTER % 2), ["alan"]),
        (lambda: stage.write("helper.lua", HELPER % (.31, 7)), ["alan", "alice"]),
        (lambda: stage.replace("helper.lua", HELPER % (.3, 7)), ["alan", "alice"]),
        (lambda: stage.write("scene.lua", SCENE % 1.2), ["scene"]),
    ]:
        change()
        loaded(other, *scripts)
        for after in particles(client, 40):
            assert quick(before, after) < limit
            before = after
    assert client.request("fabric.get", fabric="wool")["values"]["damping"]["value"] == 4
    assert abs(client.request("world.get")["wind"]["velocity"][2] - 1.2) < 1e-6
    other.drain()
    assert not other.take("script.failed")


def test_a_broken_file_changes_nothing_and_is_told(start, stage):
    server = start(scene=stage.folder / "scene.lua")
    client, other = server.client(), server.client()
    particles(client, 30)
    stage.write("helper.lua", "return { swing = \n")
    assert {other.event("script.failed")["script"] for _ in range(2)} == {"alan", "alice"}
    server.wait_for_log("helper.lua:2: unexpected symbol near <eof>")
    assert number(client, "alan") == 1
    listed = {entry["script"]: entry for entry in client.request("script.list")}
    assert "helper.lua:2: unexpected symbol" in listed["alan"]["message"]
    assert not listed["alan"]["suspended"] and listed["alan"]["characters"] == 2
    stage.write("helper.lua", HELPER % (.3, 7))
    loaded(other, "alan", "alice")
    assert "message" not in {entry["script"]: entry for entry in client.request("script.list")}["alan"]

    stage.write("alan.lua", (CHARACTER % 3).replace('self:play("sway"', 'self:play("sawy"'))
    event = other.event("script.failed")
    assert event["script"] == "alan" and "alan.lua:16: no clip \"sawy\"; did you mean \"sway\"?" in event["message"]
    assert "alan.lua:16: in a function" in event["traceback"]
    assert number(client, "alan") == 1
    stage.write("alan.lua", (CHARACTER % 3).replace('rows = 6', 'rows = 5'))
    event = other.event("script.failed")
    assert "alan.lua:12: garments[1].positions: " in event["message"]

    stage.write("fabrics/wool.lua", FABRIC % "'much'")
    event = other.event("script.failed")
    assert event["script"] == "fabrics/wool" and "wool.lua:1: damping: expected a number" in event["message"]
    stage.write("fabrics/wool.lua", (FABRIC % 1).replace("wool", "felt"))
    event = other.event("script.failed")
    assert event["message"] in (f'fabric "wool" was removed, but {name} needs it' for name in ("alan", "alice"))
    assert client.request("fabric.get", fabric="wool")["values"]["damping"]["value"] == 1
    particles(client, 10)


def test_a_new_module_that_fails_is_watched_too(start, stage):
    server = start(scene=stage.folder / "scene.lua")
    client, other = server.client(), server.client()
    stage.write("parts/numbers.lua", "return nil + 1\n")
    stage.write("alan.lua", 'local numbers = require "parts.numbers"\n' + CHARACTER % "numbers.two")
    assert "numbers.lua:1: attempt to perform arithmetic" in other.event("script.failed")["message"]
    stage.write("parts/numbers.lua", "return { two = 2 }\n")
    loaded(other, "alan")
    assert number(client, "alan") == 2
    stage.write("fabrics/felt.lua", 'return tweed.fabric { name = "felt", base = "wool" }\n')
    loaded(other, "fabrics/felt")
    assert [fabric["name"] for fabric in client.request("fabric.list")].count("felt") == 1


def test_what_comes_to_lie_where_a_script_sought_it_is_taken(start, stage):
    """However it comes there: by a folder that is renamed or made anew, by a link, or for the first time."""
    stage.write("parts/pose.lua", "return 1\n")
    stage.write("alan.lua", 'local tweed = require "tweed"\nlocal extra = tweed.has_asset "extra.bvh" and 100 or 0\n' +
                'local number = require "parts.pose" + extra\n' + CHARACTER % "number")
    server = start(scene=stage.folder / "scene.lua")
    client, other = server.client(), server.client()
    parts = stage.folder / "parts"

    def replace_folder():
        stage.write("fresh/pose.lua", "return 2\n")
        parts.rename(stage.folder / "old")
        (stage.folder / "fresh").rename(parts)

    def replace_by_link():
        stage.write("other/deep.lua", "return 4\n")
        (stage.folder / "link").symlink_to("../other/deep.lua")
        (stage.folder / "link").rename(parts / "pose.lua")

    def turn_link():
        stage.write("other/turned.lua", "return 6\n")
        (stage.folder / "link").symlink_to("../other/turned.lua")
        (stage.folder / "link").rename(parts / "pose.lua")

    def replace_link():
        (parts / "pose.lua").unlink()
        stage.write("parts/pose.lua", "return 7\n")

    for change, value in [(replace_folder, 2), (lambda: stage.write("parts/pose.lua", "return 3\n"), 3),
                          (replace_by_link, 4), (lambda: stage.write("other/deep.lua", "return 5\n"), 5),
                          (turn_link, 6), (replace_link, 7), (lambda: stage.write("extra.bvh", ""), 107)]:
        change()
        loaded(other, "alan")
        assert number(client, "alan") == value
    shutil.rmtree(parts)
    assert 'no module "parts.pose"' in other.event("script.failed")["message"]
    stage.write("parts/pose.lua", "return 8\n")
    loaded(other, "alan")
    assert number(client, "alan") == 108
    stage.write("alan.lua", 'local number = require "later.numbers"\n' + CHARACTER % "number")
    assert 'no module "later.numbers"' in other.event("script.failed")["message"]
    stage.write("later/numbers.lua", "return 9\n")
    loaded(other, "alan")
    assert number(client, "alan") == 9


def test_a_folder_of_fabrics_may_come_later(start, stage):
    shutil.rmtree(stage.folder / "fabrics")
    stage.write("scene.lua", 'return tweed.scene { gravity = { 0, -9.81, 0 } }\n')
    server = start(scene=stage.folder / "scene.lua")
    client = server.client()
    stage.write("fabrics/felt.lua", 'return tweed.fabric { name = "felt" }\n')
    loaded(client, "fabrics/felt")
    (stage.folder / "fabrics" / "wools").mkdir()
    stage.write("fabrics/wools/loden.lua", 'return tweed.fabric { name = "loden", base = "felt" }\n')
    loaded(client, "fabrics/wools/loden")
    assert {"felt", "loden"} <= {fabric["name"] for fabric in client.request("fabric.list")}


def test_another_topology_begins_anew_and_is_described(start, stage):
    server = start(scene=stage.folder / "scene.lua")
    client, other = server.client(), server.client()
    particles(client, 30)
    other.subscribe(characters=["alan"])
    assert len(other.event("stream.static", character="alan")["description"]["garments"][0]["rest"]) == 3 * 42
    stage.write("helper.lua", HELPER % (.3, 9))
    loaded(client, "alan", "alice")
    assert len(other.event("stream.static", character="alan")["description"]["garments"][0]["rest"]) == 3 * 54
    assert particles(client, 20).shape == (20, 54, 3)


def test_what_clients_have_set_stays(start, stage):
    server = start(scene=stage.folder / "scene.lua")
    client, other = server.client(), server.client()
    client.step(20)
    client.request("fabric.set", character="alan", garment="cape", values={"damping": 7})
    client.request("fabric.set", fabric="wool", values={"wind": 2})
    client.request("character.move", character="barry", position=[5, 0, 0], teleport=True)
    client.request("character.stop", character="alice")
    client.step(1)
    for script in ("alan", "alice"):
        stage.write(script + ".lua", CHARACTER % 2)
        loaded(other, script)
    client.step(20)
    values = client.request("fabric.get", character="alan", garment="cape")["values"]
    assert (values["damping"]["value"], values["wind"]["value"]) == (7, 2)
    view = client.subscribe(characters=["barry"], space="world")["view"]
    assert client.event("stream.frame", view=view)["bones"][0][12] > 4
    client.request("script.reload", script="fabrics/wool")
    assert client.request("fabric.get", fabric="wool")["values"]["wind"]["value"] == 1


def test_reload_revives_a_suspended_script(start, stage):
    server = start("--script-budget", 50, scene=stage.folder / "scene.lua")
    client = server.client()
    client.step(10)
    assert client.error("character.call", character="alan", command="loop").code == -32004
    listed = {entry["script"]: entry for entry in client.request("script.list")}
    assert listed["alan"]["suspended"] and "more than 50 ms in one tick" in listed["alan"]["message"]
    assert not listed["alice"]["suspended"]
    assert client.request("script.reload", script="alan") == {"scripts": ["alan"]}
    assert number(client, "barry") == 1
    listed = {entry["script"]: entry for entry in client.request("script.list")}
    assert not listed["alan"]["suspended"] and "message" not in listed["alan"]
    client.step(10)


def test_reload_on_request(start, stage):
    server = start(scene=stage.folder / "scene.lua", paused=False)
    client, observer = server.client(), server.client()
    observer.request("session.open", role="observer")
    every = client.request("script.reload")["scripts"]
    assert {"alan", "alice", "scene", "fabrics/wool", "fabrics/tweed"} <= set(every)
    assert observer.error("script.reload").code == -32002
    error = client.error("script.reload", script="alise")
    assert (error.code, error.path) == (-32001, "params.script") and 'did you mean "alice"?' in error.message
    error = client.error("script.reload", script="fabrics/x")
    assert error.message == 'no loaded script "fabrics/x"; loaded: ' + ", ".join(
        sorted(script for script in every if script.startswith("fabrics/")))
    assert client.error("script.reload", script="nobody/x").message == 'no loaded script "nobody/x"'
    listed = {entry["script"]: entry for entry in observer.request("script.list")}
    assert listed["characters/wake"] == {"script": "characters/wake", "kind": "character", "loaded": False,
                                         "characters": 0, "memory_bytes": 0, "suspended": False}
    assert (listed["alan"]["kind"], listed["alan"]["characters"], listed["alan"]["loaded"]) == ("character", 2, True)
    assert 10_000 < listed["alan"]["memory_bytes"] < 64 << 20
    assert (listed["scene"]["kind"], listed["fabrics/wool"]["kind"]) == ("scene", "fabric")
    (stage.folder / "alan.lua").write_text("return 5\n")
    error = client.error("script.reload", script="alan")
    assert error.code == -32004 and "expected the file to return tweed.character" in error.message
    client.start("script.reload")
    client.close()
    assert number(server.client(), "alan") == 1


def test_spawned_by_on_spawn_are_spawned_once(start, stage):
    stage.write("alan.lua", (CHARACTER % 1).replace("self:play(", 'tweed.spawn { script = "alice" } self:play(', 1))
    server = start(scene=stage.folder / "scene.lua")
    client = server.client()
    client.step(2)
    names = [entry["name"] for entry in client.request("character.list")]
    client.request("script.reload", script="alan")
    client.step(2)
    assert [entry["name"] for entry in client.request("character.list")] == names
    stage.write("scene.lua", (SCENE % 1).replace("spawn = {", 'spawn = { { script = "alice", name = "new" },'))
    client.request("script.reload", script="scene")
    client.step(1)
    assert [entry["name"] for entry in client.request("character.list")] == names + ["new"]


def test_a_script_that_on_spawn_misspells_fails_the_reload(start, stage):
    stage.write("alan.lua", CHARACTER % 1)
    client = start(scene=stage.folder / "scene.lua").client()
    stage.write("alan.lua", (CHARACTER % 2).replace("self:play(", 'tweed.spawn { script = "alise" } self:play(', 1))
    error = client.error("script.reload", script="alan")
    assert error.code == -32004 and "alise" in error.message
    assert number(client, "alan") == 1, "nothing changes"


def test_what_a_reload_wants_while_paused_is_done_at_once(start, stage):
    client = start(scene=stage.folder / "scene.lua").client()
    stage.write("scene.lua", (SCENE % 3).replace("spawn =", 'on_start = function() tweed.remove("barry") end, spawn ='))
    client.request("script.reload", script="scene")
    assert client.event("character.removed") == {"tick": 0, "character": "barry"}
    assert client.event("world.changed")["wind"]["velocity"] == [0, 0, 3]
    assert [entry["name"] for entry in client.request("character.list")] == ["alan", "alice"]


def test_more_removals_than_a_tick_may_have_go_on_while_paused(start, stage):
    stage.write("scene.lua", (SCENE % 1).replace("spawn = {", "spawn = {" + "".join(
        f'{{ script = "alan", name = "n{i}" }},' for i in range(70))))
    client = start(scene=stage.folder / "scene.lua").client()
    assert len(client.request("character.list")) == 73
    stage.write("scene.lua", (SCENE % 1).replace(
        "spawn =", 'on_start = function() for i = 0, 69 do tweed.remove("n" .. i) end end, spawn ='))
    client.request("script.reload", script="scene")
    for _ in range(70):
        assert client.event("character.removed")["tick"] == 0
    assert {entry["name"] for entry in client.request("character.list")} == {"alan", "barry", "alice"}


# What a script can want of the world before it fails.
WANTS = """
    tweed.remove("barry")
    tweed.spawn { script = "alice", name = "new" }
    tweed.tornado { name = "new", position = { 0, 0, 3 }, radius = .5, strength = 5, lift = 1 }
    tweed.calm "old"
    tweed.request("world.set", { ground = -3 })
    tweed.request("fabric.set", { fabric = "wool", values = { damping = 9 } })
    tweed.request("character.move", { character = "alice", position = { 0, 0, 9 } })
    tweed.request("simulation.resume")
    tweed.request("character.remove", { character = "alice" })
"""


def state_of(client):
    client.request("session.ping")
    return (client.request("world.get"), client.request("fabric.get", fabric="wool")["values"]["damping"]["value"],
            [entry["name"] for entry in client.request("character.list")], client.request("server.stats")["paused"])


@pytest.mark.parametrize("script", ["scene", "alan"])
def test_a_reload_that_fails_leaves_nothing_of_what_it_wanted(start, stage, script):
    client = start(scene=stage.folder / "scene.lua").client()
    client.request("world.tornado", name="old", position=[9, 0, 0], radius=1, strength=1, lift=0)
    before = state_of(client)
    client.kept.clear()
    if script == "scene":
        text, place = SCENE % 3, "spawn ="
        wants, fails = (f"on_start = function() {WANTS} {end} end, spawn =" for end in ("", "error('not so')"))
    else:
        text, place = CHARACTER % 2, "self.number ="
        wants, fails = (f"if self.name == 'alan' then {WANTS} {end} end self.number =" for end in ("", "error('no')"))
    stage.write(script + ".lua", text.replace(place, fails))
    client.event("script.failed")
    client.step(2)
    assert state_of(client) == before
    assert not client.kept

    stage.write(script + ".lua", text.replace(place, wants))
    client.event("script.loaded", script=script)
    client.event("simulation.resumed")
    client.request("simulation.pause")
    world, damping, names, paused = state_of(client)
    assert [tornado["name"] for tornado in world["tornados"]] == ["new"]
    assert (world["ground"], damping, names, paused) == (-3, 9, ["alan"], True)


def test_a_crowd_200_times_leaks_nothing(start, stage):
    stage.write("crowd.lua", """local tweed = require "tweed"
local spawn = {}
for i = 1, 24 do spawn[i] = { script = "alan", name = "man" .. i, position = { i, 0, 0 } } end
return tweed.scene { spawn = spawn }
""")
    server = start("--rate", 200, scene=stage.folder / "crowd.lua", paused=False)
    client, other = server.client(), server.client()
    other.subscribe(characters=["*"], rate=2)
    memory = []
    for turn in range(80 if SANITIZED else 200):
        client.request("script.reload", script="alan")
        other.drain()
        other.kept.clear()
        if turn % 10 == 9:
            stats = client.request("server.stats")
            memory.append((server.resident_bytes(), stats["memory"]["scripts_bytes"]))
    assert memory[-1][1] < 1.02 * memory[4][1]
    assert memory[-1][0] < memory[4][0] + (4 << 20) + QUARANTINE
    assert number(client, "man24") == 1
    assert server.stop()[0] == 0


BREAKS = [
    lambda text, roll: text[:roll.randrange(len(text))],
    lambda text, roll: text.replace('fabric = "wool"', 'fabric = "wol"'),
    lambda text, roll: text.replace("rows = 6", "rows = 600"),
    lambda text, roll: text.replace("self.number = ", "self.number = nil + "),
    lambda text, roll: text.replace("self.number = ", "while true do end self.number = "),
    lambda text, roll: "while true do end",
    lambda text, roll: "",
]


def test_200_random_reloads_always_leave_a_running_script(start, stage):
    roll = random.Random(20)
    server = start("--script-budget", int(2 * PATIENCE), scene=stage.folder / "scene.lua")
    client = server.client()
    good = 1
    for turn in range(80 if SANITIZED else 200):
        text = CHARACTER % (turn + 2)
        broken = roll.random() < .5
        if broken:
            cut = roll.choice(BREAKS)(text, roll)
            while cut == text:
                cut = roll.choice(BREAKS)(text, roll)
            text = cut
        stage.replace("alan.lua", text)
        try:
            client.request("script.reload", script="alan")
            assert not broken, text
            good = turn + 2
        except RpcError as error:
            assert broken and error.code == -32004, (text, error)
        assert number(client, "alan") == number(client, "barry") == good
        client.request("simulation.step", ticks=1)
    assert server.stop()[0] == 0


def test_a_frame_after_a_reload_while_paused_shows_the_new_body(start, stage):
    server = start(scene=stage.folder / "scene.lua")
    client = server.client()
    client.step(2)
    view = {"characters": ["alan"], "static": False}
    before = server.client()
    before.subscribe(**view)
    old = before.event("stream.frame")
    stage.write("helper.lua", HELPER % (.3, 9))
    client.request("script.reload")
    after = server.client()
    after.subscribe(**view)
    names = after.event("stream.static")["bones"]
    new = after.event("stream.frame")
    assert (old["revision"], old["tick"], new["revision"], new["tick"]) == (1, 2, 2, 2)
    assert len(new["bones"]) == len(names) > len(old["bones"])


def test_static_data_of_a_reload_while_paused_comes_without_an_event(start, stage):
    server = start(scene=stage.folder / "scene.lua")
    client, quiet = server.client(), server.client()
    quiet.request("session.open", events=False)
    quiet.subscribe(characters=["alan"], static=False)
    assert quiet.event("stream.static")["revision"] == 1
    quiet.event("stream.frame")
    stage.write("helper.lua", HELPER % (.3, 9))
    client.request("script.reload")
    assert quiet.event("stream.static")["revision"] > 1


SLOW = """local sum = 0
for i = 1, 4e7 do sum = sum + i % 7 end
"""


def test_a_reload_during_a_load_is_answered_by_a_load_of_its_own(start, stage):
    server = start("--script-budget", int(100 * PATIENCE), scene=stage.folder / "scene.lua")
    client = server.client()
    stage.write("alan.lua", SLOW + CHARACTER % "error 'old'")
    time.sleep(.3)  # it is being loaded
    stage.write("alan.lua", CHARACTER % 2)
    assert client.request("script.reload", script="alan") == {"scripts": ["alan"]}
    assert "old" in client.event("script.failed")["message"]
    assert number(client, "alan") == 2


@pytest.mark.parametrize("script", ["alan", "scene"])
def test_a_link_out_of_the_folder_is_not_followed(start, stage, tmp_path_factory, script):
    """As a module's is not; the file is loaded once it is back."""
    client = start(scene=stage.folder / "scene.lua").client()
    file, outside = stage.folder / f"{script}.lua", tmp_path_factory.mktemp("outside") / f"{script}.lua"
    text = file.read_text()
    outside.write_text(text)
    os.symlink(outside, stage.folder / "link")
    os.replace(stage.folder / "link", file)
    failed = client.event("script.failed", script=script)["message"]
    assert failed.endswith(f"{script}.lua: expected a file below the folders of scripts, found a link that leads out")
    with pytest.raises(RpcError) as error:
        client.request("script.reload", script=script)
    assert "found a link that leads out" in error.value.message
    stage.replace(f"{script}.lua", text)
    loaded(client, script)


def test_a_link_within_the_folder_is_followed(start, stage):
    client = start(scene=stage.folder / "scene.lua").client()
    stage.write("moved/alan.lua", CHARACTER % 2)
    os.symlink("moved/alan.lua", stage.folder / "link")
    os.replace(stage.folder / "link", stage.folder / "alan.lua")
    loaded(client, "alan")
    assert number(client, "alan") == 2
