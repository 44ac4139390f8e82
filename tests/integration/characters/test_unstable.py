"""Garments that go out of all bounds: put back within the tick, the cause told, and nothing of it in a frame."""
import math

from harness import Server

BONES = 110  # each may be 100 m from its parent: together they reach beyond the 10 km that cloth may be away

FAR_REACHING = """local tweed = require "tweed"
local bones, thrown, still = { { name = "bone0" } }, {}, {}
for i = 1, %d do
  bones[#bones + 1] = { name = "bone" .. i, parent = "bone" .. i - 1, position = { 0, .01, 0 } }
  thrown["bone" .. i] = { position = { 0, 100, 0 } }
end
return tweed.character {
  skeleton = tweed.skeleton(bones),
  clips = { throw = tweed.clip { duration = 1, sample = function(t) return t > .3 and t < .5 and thrown or still end } },
  garments = {
    tweed.chain { name = "rope", bone = "bone%d", fabric = "silk", points = { { 0, 0, 0 }, { 0, -.1, 0 }, { 0, -.2, 0 } } },
    tweed.chain { name = "tie", bone = "bone0", fabric = "silk", points = { { 0, 0, 0 }, { 0, -.1, 0 }, { 0, -.2, 0 } } },
  },
  commands = { throw = { help = "throw", run = function(self) self:play("throw", { fade = 0 }) end } },
}
""" % (BONES, BONES)


def test_a_garment_is_put_back_within_the_tick_and_the_cause_is_told(tmp_path):
    (tmp_path / "reach.lua").write_text(FAR_REACHING)
    scene = tmp_path / "scene.lua"
    scene.write_text('local tweed = require "tweed"\n'
                     'return tweed.scene { spawn = { { script = "reach", name = "far" } } }\n')
    with Server(scene=scene) as server:
        client = server.client()
        client.subscribe(particles=True, references=True, precision=7)
        client.step(30)
        client.request("character.call", character="far", command="throw")
        frames = client.step(120)
        events = client.take("character.unstable")
        assert 12 <= len(events) <= 16, "while it is thrown, and as it comes back"
        assert {(event["character"], event["garment"]) for event in events} == {("far", "rope")}
        for event in events[:-1]:
            assert event["cause"].startswith("the position of row "), event
            assert ' m from the root, 10000 at most: bone "bone' in event["cause"], event
            assert event["cause"].endswith(" puts its reference 11000 m from the root"), event
        assert "had put its reference" in events[-1]["cause"], events[-1]
        ticks = {event["tick"] for event in events}
        for frame in frames:
            numbers = [number for bone in frame["bones"] for number in bone]
            numbers += [number for of in frame["particles"].values() for number in of]
            assert all(math.isfinite(number) for number in numbers)
            if frame["tick"] in ticks:
                assert frame["particles"]["rope"] == frame["references"]["rope"]
        assert client.request("server.stats")["unstable"] == len(events)
        assert "far: rope became unstable (the position of row " in server.log()
