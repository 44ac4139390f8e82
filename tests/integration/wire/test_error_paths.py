"""Every error of every method, and the field that its data.path names."""
import pytest
from harness import Server

SCRIPT = """
local tweed = require "tweed"
local times = 0
return tweed.character {
  skeleton = tweed.skeleton { { name = "hips" }, { name = "arm", parent = "hips", position = { .2, .5, 0 } } },
  garments = { tweed.chain { name = "rope", bone = "arm", fabric = "silk", points = { {0, 0, 0}, {0, -.2, .1} } } },
  clips = { stand = tweed.clip { duration = 1, sample = function() return {} end } },
  commands = { fail = { run = function() error "no" end }, note = { run = function() end } },
  on_spawn = function()
    times = times + 1
    if times > %s then error "not again" end
  end,
}
"""


def write_scene(folder):
    (folder / "characters").mkdir()
    (folder / "characters/one.lua").write_text(SCRIPT % "math.huge")
    (folder / "characters/once.lua").write_text(SCRIPT % 1)
    scene = folder / "scene.lua"
    scene.write_text('return require "tweed".scene { spawn = { { script = "characters/one", name = "one" }, '
                     '{ script = "characters/once", name = "once" } } }')
    return scene


TARGETS = [({"fabric": "sulk"}, -32001, "params.fabric"),
           ({"character": "two", "garment": "rope"}, -32001, "params.character"),
           ({"character": "one", "garment": "rop"}, -32001, "params.garment"), ({}, -32602, "params.fabric"),
           ({"character": "one"}, -32602, "params.garment"), ({"garment": "rope"}, -32602, "params.character"),
           ({"fabric": "silk", "character": "one"}, -32602, "params.character"),
           ({"fabric": 1}, -32602, "params.fabric"),
           ({"fabric": "silk", "extra": 1}, -32602, "params.extra")]
WINDS = [({"wind": {"velocity": [0, 301, 0]}}, "params.wind.velocity[1]"), ({"wind": {"gust": 3}}, "params.wind.gust"),
         ({"wind": {"guts": 1}}, "params.wind.guts"), ({"wind": 4}, "params.wind"),
         ({"gravity": [0, 0]}, "params.gravity"),
         ({"gravity": [0, 0, "x"]}, "params.gravity[2]"), ({"ground": True}, "params.ground"),
         ({"tornados": []}, "params.tornados")]
TORNADO = {"name": "a", "position": [0, 0, 0], "radius": 1, "strength": 1, "lift": 1}
VIEWS = [({"bones": [5]}, "params.bones[0]"), ({"bones": "arm"}, "params.bones"),
         ({"characters": [""]}, "params.characters[0]"),
         ({"kinds": ["skeleton", "bone"]}, "params.kinds[1]"), ({"axes": "maja"}, "params.axes"),
         ({"space": 1}, "params.space"), ({"layout": "m"}, "params.layout"), ({"precision": 8}, "params.precision"),
         ({"particles": 1}, "params.particles"), ({"rate": 0}, "params.rate"), ({"policy": "all"}, "params.policy"),
         ({"static": None}, "params.static"), ({"mesh": "no"}, "params.mesh"), ({"view": 1}, "params.view")]
TURN = {"rotation": [0, 0, 0, 1]}
POSES = [({"character": "two"}, -32001, "params.character"), ({"bones": {"amr": TURN}}, -32001, "params.bones.amr"),
         ({"bones": {"arm": {"rotation": [0, 0, 2]}}}, -32602, "params.bones.arm.rotation"),
         ({"bones": {"arm": {"rotation": [0, 0, "x", 1]}}}, -32602, "params.bones.arm.rotation[2]"),
         ({"bones": {"arm": {"scale": 1}}}, -32602, "params.bones.arm.scale"),
         ({"bones": {"arm": 1}}, -32602, "params.bones.arm"), ({"bones": []}, -32602, "params.bones"),
         ({"space": "world"}, -32602, "params.space"), ({"sequence": -1}, -32602, "params.sequence"),
         ({"teleport": 1}, -32602, "params.teleport"), ({"ignore_unknown": 1}, -32602, "params.ignore_unknown")]
CASES = [
    ("no.such", {}, -32601, "method"),
    ("session.open", {"protocol": 3}, -32010, "params.protocol"),
    ("session.open", {"role": "none"}, -32602, "params.role"),
    ("session.open", {"client": ""}, -32602, "params.client"), ("session.open", {"token": 1}, -32602, "params.token"),
    ("session.open", {"events": 1}, -32602, "params.events"), ("session.ping", {"a": 1}, -32602, "params.a"),
    ("server.describe", {"a": 1}, -32602, "params.a"), ("server.stats", {"a": 1}, -32602, "params.a"),
    ("character.list", {"a": 1}, -32602, "params.a"),
    *[(f"character.{verb}", {**more, "character": "two"}, -32001, "params.character")
      for verb, more in [("describe", {}), ("reset", {}), ("move", {}), ("play", {"clip": "stand"}), ("stop", {}),
                         ("call", {"command": "note"}), ("release", {})]],
    *[(f"character.{verb}", {}, -32602, "params.character")
      for verb in ("describe", "reset", "move", "play", "stop", "call", "pose", "release")],
    *[("character.pose", {"character": "one", "bones": {"arm": TURN}, "space": "parent", **change}, code, path)
      for change, code, path in POSES],
    ("character.pose", {"character": "one", "bones": {}}, -32602, "params.space"),
    ("character.pose", {"character": "one", "space": "model"}, -32602, "params.bones"),
    ("character.release", {"character": "one", "bones": ["arm", "rope_0"]}, -32001, "params.bones[1]"),
    ("character.release", {"character": "one", "bones": ["arm", 5]}, -32602, "params.bones[1]"),
    ("character.spawn", {}, -32602, "params.script"), ("character.spawn", {"script": ""}, -32602, "params.script"),
    ("character.spawn", {"script": "../one"}, -32602, "params.script"),
    ("character.spawn", {"script": "characters/oen"}, -32001, "params.script"),
    ("character.spawn", {"script": "scenes/wake"}, -32004, "params.script"),
    ("character.spawn", {"script": "characters/one", "name": "one"}, -32003, "params.name"),
    ("character.spawn", {"script": "characters/one", "name": "*"}, -32602, "params.name"),
    ("character.spawn", {"script": "characters/one", "position": [0, 0, 1e7]}, -32602, "params.position[2]"),
    ("character.spawn", {"script": "characters/one", "rotation": [0, 0, 0, 0]}, -32602, "params.rotation"),
    ("character.spawn", {"script": "characters/one", "params": 1}, -32602, "params.params"),
    ("character.remove", {}, -32602, "params.character"),
    ("character.remove", {"character": "two"}, -32001, "params.character"),
    ("character.describe", {"character": "one", "axes": "x"}, -32602, "params.axes"),
    ("character.move", {"character": "one", "position": [0, 0, 1e7]}, -32602, "params.position[2]"),
    ("character.move", {"character": "one", "rotation": [0, 0, 0, 0]}, -32602, "params.rotation"),
    ("character.move", {"character": "one", "teleport": 1}, -32602, "params.teleport"),
    ("character.play", {"character": "one"}, -32602, "params.clip"),
    ("character.play", {"character": "one", "clip": "stnad"}, -32001, "params.clip"),
    ("character.play", {"character": "one", "clip": "stand", "speed": 11}, -32602, "params.speed"),
    ("character.stop", {"character": "one", "clip": "run"}, -32001, "params.clip"),
    ("character.stop", {"character": "one", "fade": -1}, -32602, "params.fade"),
    ("character.call", {"character": "one"}, -32602, "params.command"),
    ("character.call", {"character": "one", "command": "fial"}, -32001, "params.command"),
    ("character.call", {"character": "one", "command": "fail"}, -32004, "params.command"),
    ("character.call", {"character": "one", "command": "note", "arguments": 1}, -32602, "params.arguments"),
    ("fabric.list", {"a": 1}, -32602, "params.a"),
    *[(f"fabric.{verb}", {**target, **more}, code, path)
      for verb, more in [("get", {}), ("export", {}), ("set", {"values": {}})] for target, code, path in TARGETS],
    ("fabric.set", {"fabric": "silk"}, -32602, "params.values"),
    ("fabric.set", {"fabric": "silk", "values": {"dampin": 1}}, -32602, "params.values.dampin"),
    ("fabric.set", {"fabric": "silk", "values": {"damping": -1}}, -32602, "params.values.damping"),
    ("fabric.set", {"fabric": "silk", "values": {"edge": {"wnd": 1}}}, -32602, "params.values.edge.wnd"),
    ("fabric.set", {"fabric": "silk", "values": {"edge": 1}}, -32602, "params.values.edge"),
    ("world.get", {"a": 1}, -32602, "params.a"),
    *[("world.set", params, -32602, path) for params, path in WINDS],
    *[("world.tornado", {key: value for key, value in TORNADO.items() if key != missing}, -32602, f"params.{missing}")
      for missing in TORNADO],
    ("world.tornado", {**TORNADO, "radius": 0}, -32602, "params.radius"),
    ("world.calm", {"name": "b"}, -32001, "params.name"), ("world.calm", {}, -32602, "params.name"),
    ("simulation.pause", {"a": 1}, -32602, "params.a"), ("simulation.resume", {"a": 1}, -32602, "params.a"),
    ("simulation.step", {}, -32602, "params.ticks"), ("simulation.step", {"ticks": 0}, -32602, "params.ticks"),
    ("script.list", {"a": 1}, -32602, "params.a"),
    ("script.reload", {"script": "characters/oen"}, -32001, "params.script"),
    ("script.reload", {"script": ""}, -32602, "params.script"),
    *[("stream.subscribe", params, -32602, path) for params, path in VIEWS],
    ("stream.unsubscribe", {}, -32602, "params.view"), ("stream.unsubscribe", {"view": 9}, -32001, "params.view"),
]


@pytest.fixture(scope="module")
def common(tmp_path_factory):
    with Server(scene=write_scene(tmp_path_factory.mktemp("paths"))) as server:
        yield server


@pytest.mark.parametrize("method, params, code, path", CASES,
                         ids=[f"{number} {method} {path}" for number, (method, _, _, path) in enumerate(CASES)])
def test_an_error_names_its_field(guest, method, params, code, path):
    error = guest.error(method, **params)
    assert (error.code, error.path) == (code, path), error


@pytest.mark.parametrize("params, path", [
    ('{"fabric":"silk","values":{"damping":1,"friction":1,"damping":2}}', "params.values.damping"),
    ('{"fabric":"silk","values":{"edge":{"wind":1},"edge":{"wind":1}}}', "params.values.edge"),
    ('{"fabric":"silk","values":{"edge":{"wind":1,"wind":1}}}', "params.values.edge.wind"),
    ('{"fabric":"silk","fabric":"silk","values":{}}', "params.fabric"),
])
def test_what_is_given_twice_is_named(guest, params, path):
    guest.send_bytes(('{"jsonrpc":"2.0","id":"twice","method":"fabric.set","params":%s}\n' % params).encode())
    error = guest.read()["error"]
    assert (error["code"], error["message"], error["data"]["path"]) == (-32602, f"{path} is given twice", path)


def test_the_cases_know_all_methods(guest):
    assert {case[0] for case in CASES} == {*guest.request("server.describe")["methods"], "no.such"}


def test_limits_name_a_field_too(start, tmp_path):
    server = start(scene=write_scene(tmp_path))
    client, other = server.client(), server.client()
    views = [{"precision": precision, flag: True} for precision in range(2, 8)
             for flag in ("particles", "references", "wrinkles")]
    for view in views[:16]:
        client.subscribe(**view)
    error = client.error("stream.subscribe", **views[16])
    assert (error.code, error.path, error.message) == (
        -32003, "params", "this connection has 16 views, the most it can have")
    for place in range(48):
        if place % 16 == 0:
            other = server.client()
        other.subscribe(characters=[f"c{place}"])
    error = server.client().error("stream.subscribe", characters=["c48"])
    assert (error.code, error.path, error.message) == (
        -32003, "params", "the server has 64 different views, the most there can be")
    for number in range(16):
        client.request("world.tornado", **{**TORNADO, "name": f"t{number}"})
    error = client.error("world.tornado", **TORNADO)
    assert (error.code, error.path) == (-32003, "params.name")


def test_what_is_not_to_be_called_now_is_the_method(start, tmp_path):
    server = start(scene=write_scene(tmp_path))
    client, other = server.client(), server.client()
    client.request("simulation.resume")
    error = client.error("simulation.step", ticks=1)
    assert (error.code, error.path) == (-32003, "method")
    client.request("simulation.pause")
    client.start("simulation.step", ticks=100000)
    other.request("session.ping")
    error = other.error("simulation.step", ticks=1)
    assert (error.code, error.path) == (-32003, "method")


def test_a_script_that_fails_is_named_by_who_named_it(start, tmp_path):
    client = start(scene=write_scene(tmp_path)).client()
    error = client.error("character.reset", character="once")
    assert (error.code, error.path) == (-32004, "params.character") and "not again" in error.message
    (tmp_path / "characters/one.lua").write_text("return 1")
    for params, path in [({"script": "characters/one"}, "params.script"), ({}, "method")]:
        error = client.error("script.reload", **params)
        assert (error.code, error.path) == (-32004, path) and error.data["traceback"]
