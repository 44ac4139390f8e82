"""Scripts and the protocol: what happens reaches them, what clients can do they can do, and all of it repeats."""
import json
import re
import time

import pytest
from harness import ROOT

CHARACTER = """
local tweed = require "tweed"
return tweed.character {
  skeleton = tweed.skeleton { { name = "hips" }, { name = "arm", parent = "hips", position = { .2, .5, 0 } } },
  clips = {
    walk = tweed.clip { duration = 1, sample = function(t)
      local turn = tweed.quaternion.axis_angle({ 0, 0, 1 }, math.sin(2 * math.pi * t))
      return { arm = { rotation = turn }, root = { x = 0, z = t, heading = 0 } }
    end },
  },
  garments = {
    tweed.chain { name = "rope", bone = "arm", fabric = "silk", points = { {0, 0, 0}, {0, -.2, .1}, {0, -.4, .1} } },
    tweed.cloth { name = "apron", fabric = "silk", rows = 2, columns = 3, attach = "hips",
                  positions = { {0, 0, 0}, {.1, 0, .1}, {.2, 0, 0}, {0, -.1, 0}, {.1, -.1, .1}, {.2, -.1, 0} } },
  },
  seams = { tweed.seam { "apron", name = "side", column = 0, to = { "apron", column = 2 }, closed = false } },
  %s
}
"""

# Every kind of thing that a script does over time, each with random numbers in it.
BUSY = CHARACTER % """
  on_spawn = function(self)
    self:play("walk", { loop = true, at = tweed.random() })
    tweed.on("fabric.changed", function(event)
      self:move { position = { event.values.damping * tweed.random(), 0, 0 } }
    end)
    self:run(function()
      while true do
        tweed.wait(.1 * tweed.random(4))
        tweed.log("info", ("%s waited %.9f"):format(self.name, tweed.random()))
        local event = tweed.wait_for("world.changed", .3)
        self:move { position = { event and event.wind.velocity[1] or 9, tweed.random(), 0 } }
        if tweed.random(3) == 1 then
          local reply = tweed.request("character.call", { character = self.name, command = "roll" })
          tweed.log("info", ("%s rolled %d at %d"):format(self.name, reply.result, reply.tick))
        end
      end
    end)
  end,
  on_tick = function(self, dt, time)
    if tweed.random(20) == 1 then
      tweed.request("world.set", { wind = { velocity = { 4 * tweed.random(), 0, 0 } } })
    end
  end,
  commands = { roll = { run = function() return tweed.random(1000) end } },
"""

SCENE = """
local tweed = require "tweed"
return tweed.scene {
  wind = tweed.wind { velocity = { 2, 0, 1 }, turbulence = .5 },
  spawn = { { script = "characters/one", name = "a" }, { script = "characters/one", name = "b" },
            { script = "characters/two", name = "c" } },
  on_start = function()
    tweed.on("world.changed", function(event) tweed.log("info", "scene " .. event.wind.velocity[1]) end)
  end,
}
"""


def write(folder, **files):
    for name, text in files.items():
        path = folder / f"{name}.lua".replace("__", "/")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return folder / "scene.lua"


def lines_of(start, scene, *options):
    """All that a client that steps gets to read, but for replies and the names of the day."""
    client = start(*options, scene=scene).client()
    client.subscribe(particles=True)
    lines = []
    for part in range(6):
        client.request("simulation.step", ticks=30)
        client.request("fabric.set", fabric="silk", values={"damping": part + 1})
    for message in client.kept:
        lines.append(message["raw"])
    return lines


def test_the_same_seed_and_steps_give_the_same_streams(start, tmp_path):
    scene = write(tmp_path, scene=SCENE, characters__one=BUSY, characters__two=BUSY)
    first = lines_of(start, scene, "--seed", 5)
    text = b"\n".join(first)
    for what in [b'"stream.frame"', b"c waited", b"rolled", b"scene ", b'"world.changed"', b'"fabric.changed"']:
        assert what in text
    assert lines_of(start, scene, "--seed", 5, "--threads", 1) == first
    assert lines_of(start, scene, "--seed", 6) != first


REQUESTS = {
    "server.describe": {}, "server.stats": {}, "script.list": {}, "character.list": {},
    "character.describe": {"character": "one"},
    "character.reset": {"character": "other"}, "character.move": {"character": "one", "position": [1, 0, 0]},
    "character.level": {"character": "one", "level": "reduced"},
    "character.pose": {"character": "one", "space": "model", "bones": {"arm": {"position": [0, 1, 0]}}},
    "character.release": {"character": "one"},
    "character.play": {"character": "one", "clip": "walk"}, "character.stop": {"character": "one"},
    "character.call": {"character": "other", "command": "ask", "arguments": ["world.get"]},
    "seam.list": {"character": "one"},
    "seam.set": {"character": "one", "seam": "side", "closed": True},
    "fabric.list": {}, "fabric.get": {"character": "one", "garment": "rope"},
    "fabric.set": {"fabric": "silk", "values": {"damping": 2, "edge": {"wind": 1.5}}},
    "fabric.export": {"fabric": "silk"},
    "world.get": {}, "world.set": {"gravity": [0, -5, 0], "ground": False},
    "world.tornado": {"name": "x", "position": [1, 0, 1], "radius": 1, "strength": 9, "lift": 1},
    "world.calm": {"name": "x"}, "character.spawn": {"script": "characters/one"},
    "character.remove": {"character": "one_2"}, "simulation.pause": {}, "simulation.resume": {},
}
OF_CONNECTIONS = {"cluster.drain", "cluster.move", "fabric.save", "script.reload", "session.look", "session.open",
                  "session.ping", "simulation.step", "stream.subscribe", "stream.unsubscribe"}

ASKING = CHARACTER % """
  commands = {
    ask = { run = function(self, arguments)
      self.answer = nil
      self:run(function() self.answer = table.pack(pcall(tweed.request, table.unpack(arguments))) end)
    end },
    ask_nested = { run = function(self)
      self.order = "asked"
      local count = select("#", tweed.request("character.call", { character = self.name, command = "note" }))
      self.order = self.order .. ", left with " .. count
    end },
    note = { run = function(self) self.order = self.order .. ", done" end },
    order = { run = function(self) return self.order end },
    answer = { run = function(self)
      return self.answer and { done = self.answer[1], result = self.answer[2] }
    end },
  },
"""


@pytest.fixture
def asker(start, tmp_path):
    spawn = 'spawn = { { script = "characters/one" }, { script = "characters/one", name = "other" } }'
    scene = write(tmp_path, scene=f'return require "tweed".scene {{ {spawn} }}', characters__one=ASKING)
    client = start(scene=scene).client()
    client.request("simulation.pause")  # a script may lift the start's own hold
    return client


def ask(client, method, params):
    client.request("character.call", character="one", command="ask", arguments=[method, params])
    client.step(1)
    return client.request("character.call", character="one", command="answer")["result"]


def test_scripts_can_do_what_clients_can(asker):
    document = json.loads((ROOT / "protocol/openrpc.json").read_text())
    assert {method["name"] for method in document["methods"]} == set(REQUESTS) | OF_CONNECTIONS
    for method, params in REQUESTS.items():
        answer = ask(asker, method, params)
        assert answer["done"], (method, answer)
        if method not in ("server.stats", "simulation.pause", "simulation.resume", "character.call",
                          "server.describe"):
            ends = method in ("world.calm", "character.remove")  # what is ended cannot be ended again
            mine = {"tick": 0} if ends else asker.request(method, **params)
            assert (mine.keys() == answer["result"].keys() if isinstance(mine, dict)
                    else len(mine) == len(answer["result"])), method
    for method in OF_CONNECTIONS:
        assert ask(asker, method, {}) == {
            "done": False, "result": f"{method}: scripts cannot call it, since it is about a connection"}
    assert asker.request("world.get")["gravity"] == [0, -5, 0]
    assert asker.request("fabric.get", fabric="silk")["values"]["damping"]["value"] == 2


def test_what_runs_scripts_waits_for_those_that_run(asker):
    asker.request("character.call", character="one", command="ask_nested")
    answer = asker.request("character.call", character="one", command="order")
    assert answer["result"] == "asked, left with 0, done"


@pytest.mark.parametrize("method, params", [
    ("fabric.set", {"fabric": "sulk", "values": {}}), ("fabric.set", {"fabric": "silk", "values": {"dampin": 1}}),
    ("world.set", {"gravity": [0, 1e9, 0]}), ("character.mova", {}), ("character.reset", {"character": "ona"}),
    ("character.call", {"character": "one", "command": "aks"}),
])
def test_the_mistakes_are_those_of_clients(asker, method, params):
    error = asker.error(method, **params)
    path = f"{error.path}: " if error.path and error.path not in error.message else ""
    expected = f"{method}: {path}{error.message}"
    assert ask(asker, method, params) == {"done": False, "result": expected}


def test_a_script_can_hold_the_simulation(start, tmp_path):
    scene = write(tmp_path, scene=CHARACTER % """
      on_tick = function(self, dt, time)
        if time > .5 then print("paused at", tweed.request("simulation.pause").tick) end
      end,
    """)
    server = start(scene=scene, paused=False)
    client = server.client()
    assert client.event("simulation.paused") == {"tick": 31, "holds": 1}, "the tick that the script runs in ends"
    server.wait_for_log("paused at\t31")
    assert client.request("session.ping")["tick"] in (30, 31), "the tick may be under way"
    assert client.request("simulation.resume") == {"tick": 31, "holds": 0}


def test_an_error_that_is_raised_in_every_tick_is_reported_with_a_count(start, tmp_path):
    (tmp_path / "alan.lua").write_text("""local tweed = require "tweed"
return tweed.character {
  skeleton = tweed.skeleton { { name = "root" } },
  on_tick = function(self) self:run(function() error "again" end) end,
}
""")
    (tmp_path / "scene.lua").write_text('return require "tweed".scene { spawn = { { script = "alan", name = "alan" } } }')
    client = start(scene=tmp_path / "scene.lua").client()
    began = time.monotonic()
    client.step(90)
    messages = [client.event("script.failed")["message"]]
    assert messages[0].endswith("again")
    while sum(int((re.findall(r"again \((\d+) times more\)$", message) or [1])[0]) for message in messages) < 90:
        messages.append(client.event("script.failed")["message"])
    assert len(messages) <= 2 + (time.monotonic() - began)


def test_an_error_that_is_repeated_once_is_reported_in_words(start, tmp_path):
    (tmp_path / "alan.lua").write_text("""local tweed = require "tweed"
return tweed.character {
  skeleton = tweed.skeleton { { name = "root" } },
  on_tick = function(self) self:run(function() error "again" end) end,
}
""")
    client = start(scene=tmp_path / "alan.lua").client()
    client.step(2)
    assert [client.event("script.failed")["message"].split(": ")[-1] for _ in range(2)] == ["again", "again (once more)"]


def test_more_errors_than_are_told_apart_are_counted_together(start, tmp_path):
    (tmp_path / "alan.lua").write_text("""local tweed = require "tweed"
return tweed.character {
  skeleton = tweed.skeleton { { name = "root" } },
  on_tick = function(self) self:run(function() error "again" end) end,
}
""")
    names = [f"alan{i}" for i in range(24)]
    spawns = ", ".join(f'{{ script = "alan", name = "{name}" }}' for name in names)
    (tmp_path / "scene.lua").write_text(f'return require "tweed".scene {{ spawn = {{ {spawns} }} }}')
    client = start(scene=tmp_path / "scene.lua").client()
    began = time.monotonic()
    client.step(90)
    client.drain(1.5)
    messages = [event["message"] for event in client.take("script.failed")]
    plain = [message for message in messages if message.endswith("again")]
    assert len(plain) == len(set(plain)) == 17
    assert len(messages) <= 17 * (2 + time.monotonic() - began)
    counted = [re.search(r"again \((\d+) times more(, other errors included)?\)$", message) for message in messages]
    assert 17 + sum(int(match[1]) for match in counted if match) == 24 * 90
    assert any(match and match[2] for match in counted)
