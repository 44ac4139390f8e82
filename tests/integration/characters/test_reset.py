"""character.reset: all or nothing."""
import pytest

SCRIPT = """
local tweed = require "tweed"
local broken, sets = false, false
return tweed.character {
  skeleton = tweed.skeleton { { name = "hips" }, { name = "arm", parent = "hips", position = { .2, .5, 0 } } },
  garments = { tweed.chain { name = "rope", bone = "arm", fabric = "silk", points = { {0, 0, 0}, {0, -.2, .1} } } },
  commands = {
    breaks = { run = function() broken = true end },
    sets = { run = function() sets = true end },
    mends = { run = function() broken = false end },
    ticks = { run = function(self) return self.ticks end },
  },
  on_spawn = function(self)
    self.ticks = 0
    if sets then
      tweed.request("fabric.set", { fabric = "silk", values = { damping = 9 } })
      error "not today"
    end
    if not broken then return end
    self:pose { arm = { rotation = { 0, 0, .7071, .7071 } } }
    tweed.spawn { script = "characters/rope", name = "child" }
    tweed.remove("twin")
    tweed.request("character.move", { character = self.name, position = { 0, 5, 0 } })
    tweed.request("character.level", { character = self.name, level = "skinned" })
    tweed.request("fabric.set", { character = self.name, garment = "rope", values = { damping = 3 } })
    tweed.request("character.call", { character = "twin", command = "mends" })
    error "not today"
  end,
  on_tick = function(self) self.ticks = self.ticks + 1 end,
}
"""
DAMPING = {"character": "one", "garment": "rope", "values": {"damping": 7}}


@pytest.fixture
def client(start, tmp_path):
    (tmp_path / "characters").mkdir()
    (tmp_path / "characters/rope.lua").write_text(SCRIPT)
    scene = tmp_path / "scene.lua"
    scene.write_text('return require "tweed".scene { spawn = { { script = "characters/rope", name = "one" }, '
                     '{ script = "characters/rope", name = "twin" } } }')
    return start(scene=scene).client()


def test_a_reset_that_fails_changes_nothing(client):
    client.subscribe(particles=True, precision=7)
    for name in ("one", "twin"):
        client.request("fabric.set", **{**DAMPING, "character": name})
        client.request("character.move", character=name, position=[.3, 0, 0])
    client.step(20)
    before = [client.request("character.describe", character="one"), client.request("character.list")]
    client.request("character.call", character="one", command="breaks")
    error = client.error("character.reset", character="one")
    assert (error.code, error.path) == (-32004, "params.character") and "not today" in error.message
    assert [client.request("character.describe", character="one"), client.request("character.list")] == before
    values = client.request("fabric.get", character="one", garment="rope")["values"]
    assert values["damping"]["value"] == pytest.approx(7)
    frames = client.step(20)
    assert len(frames) == 40, "its on_spawn has removed and spawned nobody"
    for one, twin in zip(frames[::2], frames[1::2], strict=True):
        assert (one["character"], twin["character"]) == ("one", "twin")
        assert (one["bones"], one["particles"]) == (twin["bones"], twin["particles"]), one["tick"]
    assert client.request("character.call", character="one", command="ticks")["result"] == 40
    error = client.error("character.reset", character="one")
    assert "not today" in error.message, "the requests of its on_spawn are dropped"
    client.request("character.call", character="one", command="mends")
    client.request("character.reset", character="one")
    assert client.request("character.call", character="one", command="ticks")["result"] == 0
    values = client.request("fabric.get", character="one", garment="rope")["values"]
    assert values["damping"]["value"] != pytest.approx(7)


def test_a_fabric_that_a_failed_reset_has_set_is_that_of_all_who_wear_it(client):
    client.subscribe(particles=True, precision=7)
    for name in ("one", "twin"):
        client.request("character.move", character=name, position=[.3, 0, 0])
    client.step(20)
    client.request("character.call", character="one", command="sets")
    assert "not today" in client.error("character.reset", character="one").message
    for name in ("one", "twin"):
        values = client.request("fabric.get", character=name, garment="rope")["values"]
        assert values["damping"]["value"] == pytest.approx(9), name
    frames = client.step(20)
    for one, twin in zip(frames[::2], frames[1::2], strict=True):
        assert one["particles"] == twin["particles"], one["tick"]


def test_a_reset_while_paused_shows_from_the_next_tick_on(client):
    client.subscribe(particles=True)
    client.request("character.move", character="one", position=[0, 0, 0])
    before = next(frame for frame in client.step(20) if frame["tick"] == 20 and frame["character"] == "one")
    client.request("character.reset", character="one")
    client.subscribe(particles=True, precision=4)
    shown = client.event("stream.frame", character="one")
    assert shown["tick"] == 20
    assert shown["particles"]["rope"] == pytest.approx(before["particles"]["rope"], abs=1e-3)
