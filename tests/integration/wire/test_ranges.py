"""Scripts and clients may set the same: each range's ends are taken by both, what lies beyond is refused by both."""
import pytest
from contract import METHODS, resolved
from harness import RpcError, run

CHARACTER = """
local tweed = require "tweed"
return tweed.character {
  skeleton = tweed.skeleton { { name = "hips" } },
  clips = { walk = tweed.clip { duration = 1, sample = function() return {} end } },
  commands = {
    play = { run = function(self, options) self:play("walk", options) end },
    stop = { run = function(self, options) self:stop("walk", options) end },
    move = { run = function(self, to) self:move(to) end },
    pose = { run = function(self, given) self:pose(given.bones, { sequence = given.sequence }) end },
    spawn = { run = function(_, character) tweed.spawn(character) end },
    tornado = { run = function(_, tornado) tweed.tornado(tornado) end },
  },
}
"""
SCENE = """return require "tweed".scene { %s, spawn = { { script = "characters/one", name = "one" } } }"""
TORNADO = {"name": "x", "position": [0, 0, 0], "radius": 1, "strength": 1, "lift": 1}
POSE = {"bones": {"hips": {"position": [0, 0, 0]}}}

# method, parameter and what stands beside it; the command of the script that does the same, or what a scene says.
BOTH = [
    ("character.spawn", "position", {"script": "characters/one"}, "spawn"),
    ("character.move", "position", {}, "move"),
    ("character.pose", "bones.hips.position", POSE, "pose"),
    ("character.pose", "sequence", POSE, "pose"),
    *(("character.play", name, {}, "play") for name in ("speed", "fade", "at", "weight")),
    ("character.stop", "fade", {}, "stop"),
    *(("world.tornado", name, TORNADO, "tornado") for name in ("position", "radius", "strength", "lift", "velocity")),
    ("world.set", "gravity", {}, "gravity = {{ 0, 0, {} }}"),
    ("world.set", "ground", {}, "ground = {}"),
    ("world.set", "wind.velocity", {}, "wind = {{ velocity = {{ 0, 0, {} }} }}"),
    ("world.set", "wind.turbulence", {}, "wind = {{ turbulence = {} }}"),
    ("world.set", "wind.gust", {}, "wind = {{ gust = {} }}"),
]
OF_WIRE = {"character.move": {"character": "one"}, "character.pose": {"character": "one", "space": "parent"},
           "character.play": {"character": "one", "clip": "walk"}, "character.stop": {"character": "one"}}


def schema_of(method, path):
    """The schema of a number at that path, and whether it stands in a vector."""
    first, *rest = path.split(".")
    schema = resolved(next(each["schema"] for each in METHODS[method]["params"] if each["name"] == first))
    for name in rest:
        schema = resolved(schema.get("properties", {}).get(name, schema.get("additionalProperties")))
    schema = resolved(schema.get("anyOf", [schema])[0])
    return (schema["items"], True) if "items" in schema else (schema, False)


def put(params, path, value):
    first, _, rest = path.partition(".")
    return {**params, first: put(params.get(first, {}), rest, value) if rest else value}


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranges")
    (folder / "characters").mkdir()
    (folder / "characters/one.lua").write_text(CHARACTER)
    (folder / "scene.lua").write_text(SCENE % "ground = 0")
    return folder / "scene.lua"


def error_of(ask, *arguments, **params):
    try:
        ask(*arguments, **params)
    except RpcError as error:
        return error.message
    return None


def test_scripts_and_clients_may_set_the_same(start, scene):
    client = start(scene=scene).client()

    def by_wire(method, path, beside, _, value):
        return error_of(client.request, method, **put({**OF_WIRE.get(method, {}), **beside}, path, value))

    def by_script(_, path, beside, said, value):
        if "=" not in said:
            return error_of(client.request, "character.call", character="one", command=said,
                            arguments=put(beside, path, value))
        file = scene.with_name("said.lua")
        file.write_text(SCENE % said.format(value[2] if isinstance(value, list) else value))
        return run("check", file).stdout or None

    for case in BOTH:
        schema, in_vector = schema_of(*case[:2])
        low, high = schema["minimum"], schema["maximum"]
        beyond = (low - 1, high + 1) if schema["type"] == "integer" or high > 1e4 else (low - 0.01, high + 0.01)
        for ask in (by_wire, by_script):
            for value in (low, high, *beyond):
                message = ask(*case, [0, 0, value] if in_vector else value)
                if value not in beyond:
                    assert message is None, (case, value, message)
                else:
                    assert message and f"{low:.16g} to {high:.16g}" in message, (ask, case, value, message)
