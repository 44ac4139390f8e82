"""The errors that hang on what there is, and the field that their data.path names. test_parameters.py has those that
the contract alone tells: unknown, missing and wrong parameters."""
import pytest
from contract import METHODS, code, codes
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
           ({"fabric": "silk", "character": "one"}, -32602, "params.character")]
TORNADO = {"name": "a", "position": [0, 0, 0], "radius": 1, "strength": 1, "lift": 1}
TURN = {"rotation": [0, 0, 0, 1]}
CASES = [
    ("no.such", {}, -32601, "method"),
    ("session.open", {"protocol": 3}, -32010, "params.protocol"),
    *[(f"character.{verb}", {**more, "character": "two"}, -32001, "params.character")
      for verb, more in [("describe", {}), ("reset", {}), ("move", {}), ("play", {"clip": "stand"}), ("stop", {}),
                         ("call", {"command": "note"}), ("release", {}), ("remove", {}), ("level", {"level": "full"}),
                         ("pose", {"bones": {"arm": TURN}, "space": "parent"})]],
    ("character.pose", {"character": "one", "bones": {"amr": TURN}, "space": "parent"}, -32001, "params.bones.amr"),
    ("character.release", {"character": "one", "bones": ["arm", "rope_0"]}, -32001, "params.bones[1]"),
    ("character.spawn", {"script": "../one"}, -32602, "params.script"),
    ("character.spawn", {"script": "characters/oen"}, -32001, "params.script"),
    ("character.spawn", {"script": "scenes/wake"}, -32004, "params.script"),
    ("character.spawn", {"script": "characters/one", "name": "one"}, -32003, "params.name"),
    ("character.spawn", {"script": "characters/one", "rotation": [0, 0, 0, 0]}, -32602, "params.rotation"),
    ("character.move", {"character": "one", "rotation": [0, 0, 0, 0]}, -32602, "params.rotation"),
    ("character.play", {"character": "one", "clip": "stnad"}, -32001, "params.clip"),
    ("character.stop", {"character": "one", "clip": "run"}, -32001, "params.clip"),
    ("character.call", {"character": "one", "command": "fial"}, -32001, "params.command"),
    ("character.call", {"character": "one", "command": "fail"}, -32004, "params.command"),
    *[(f"fabric.{verb}", {**target, **more}, code, path)
      for verb, more in [("get", {}), ("export", {}), ("save", {}), ("set", {"values": {}})] for target, code, path in TARGETS],
    ("seam.list", {"character": "two"}, -32001, "params.character"),
    ("seam.set", {"character": "one", "seam": "front", "closed": True}, -32001, "params.seam"),
    ("world.calm", {"name": "b"}, -32001, "params.name"),
    ("script.reload", {"script": "characters/oen"}, -32001, "params.script"),
    ("stream.unsubscribe", {"view": 9}, -32001, "params.view"),
]


@pytest.fixture(scope="module")
def common(tmp_path_factory):
    with Server("--allow-save", scene=write_scene(tmp_path_factory.mktemp("paths"))) as server:
        yield server


@pytest.mark.parametrize("method, params, number, path", CASES,
                         ids=[f"{number} {method} {path}" for number, (method, _, _, path) in enumerate(CASES)])
def test_an_error_names_its_field(guest, method, params, number, path):
    error = guest.error(method, **params)
    assert (error.code, error.path) == (number, path), error


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


def test_the_cases_have_every_method_that_may_not_find_what_is_named():
    not_found = code("NotFound")
    assert {case[0] for case in CASES if case[2] == not_found} == {
        name for name in METHODS if not_found in codes(name) and not name.startswith("cluster.")}  # integration/cluster


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
