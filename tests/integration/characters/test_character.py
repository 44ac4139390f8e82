"""character.move, reset, play, stop and call."""
import numpy as np
import pytest



def hips(frame):
    return np.array(frame["bones"][0][12:15])


@pytest.fixture
def streamed(client):
    client.subscribe(bones=["Hips"], precision=6)
    client.drain(0.1)
    return client


def settle(client, clip="stand", ticks=60):
    client.request("character.play", character="alan", clip=clip, loop=True, fade=0)
    return client.step(ticks)


def test_move_sets_the_root_in_the_world(streamed):
    before = settle(streamed)[-1]
    streamed.request("character.move", character="alan", position=[4, 0, 3], teleport=True)
    moved = streamed.step(2)[-1]
    assert hips(moved) - hips(before) == pytest.approx([4, 0, 3], abs=0.02)


def test_move_turns_the_character(streamed):
    before = settle(streamed)[-1]
    streamed.request("character.move", character="alan", position=[0, 0, 0], rotation=[0, 0.70710678, 0, 0.70710678])
    after = streamed.step(1)[-1]
    turned = np.array(after["bones"][0][8:11])  # the hips' z axis
    original = np.array(before["bones"][0][8:11])
    assert turned == pytest.approx([original[2], original[1], -original[0]], abs=0.02)


def test_what_move_leaves_out_keeps_its_value(streamed):
    settle(streamed)
    streamed.request("character.move", character="alan", position=[4, 0, 3])
    there = streamed.step(5)[-1]
    streamed.request("character.move", character="alan", rotation=[0, 0, 0, 1])
    still = streamed.step(5)[-1]
    assert hips(still) == pytest.approx(hips(there), abs=0.02)


def test_a_number_past_the_floats_is_refused(guest):
    guest.send_bytes(b'{"jsonrpc":"2.0","id":1,"method":"character.move",'
                     b'"params":{"character":"alan","position":[0,1e999,0]}}\n')
    reply = guest.read()
    assert reply["error"]["code"] in (-32602, -32700)


def test_every_clip_plays_and_says_its_tick(client):
    for number, clip in enumerate(("jump", "walk", "dodge", "stand")):
        assert client.request("character.play", character="alan", clip=clip, loop=True, fade=0.1) == {"tick": number}
        client.step(1)


def test_walking_goes_forward(streamed):
    streamed.request("character.play", character="alan", clip="walk", loop=True, fade=0)
    frames = streamed.step(180)
    way = hips(frames[-1]) - hips(frames[60])
    assert way[2] > 1.5 and abs(way[0]) < 0.3, "two seconds along +Z"


def test_people_of_a_crowd_stay_about_where_they_began(client):
    client.request("character.spawn", script="characters/crowd/silk", name="one", position=[20, 0, 0],
                   params={"clip": "stroll"})
    client.subscribe(characters=["one"], bones=["Hips"])
    places = np.array([hips(frame)[[0, 2]] for frame in client.step(1800)])
    way = np.linalg.norm(np.diff(places, axis=0), axis=1).sum()
    assert way > 30, "half a minute at 1.4 m/s"
    assert np.linalg.norm(places - places[0], axis=1).max() < 5.5, "in a circle of 2.5 m"


def test_speed_is_a_factor_of_time(streamed):
    distances = []
    for speed in (1, 0.5):
        streamed.request("character.reset", character="alan")
        streamed.request("character.play", character="alan", clip="walk", loop=True, fade=0, speed=speed)
        frames = streamed.step(240)
        distances.append(hips(frames[-1])[2] - hips(frames[0])[2])
    assert distances[1] == pytest.approx(distances[0] / 2, rel=0.15)


def test_at_starts_inside_the_clip(streamed):
    streamed.request("character.play", character="alan", clip="jump", fade=0)
    whole = [frame["bones"][0][4:7] for frame in streamed.step(90)]
    streamed.request("character.reset", character="alan")
    streamed.request("character.play", character="alan", clip="jump", fade=0, at=1)
    late = streamed.step(2)[0]["bones"][0][4:7]
    assert np.min(np.linalg.norm(np.array(whole[55:65]) - late, axis=1)) < 0.02


def test_a_clip_that_does_not_loop_ends_and_stays(streamed):
    duration = next(clip["duration"] for clip in streamed.request("character.describe", character="alan")["clips"]
                    if clip["name"] == "dodge")
    streamed.request("character.play", character="alan", clip="dodge", loop=False, fade=0)
    streamed.step(int(duration * 60) + 5)
    frames = streamed.step(60)
    assert hips(frames[0]) == pytest.approx(hips(frames[-1]), abs=1e-3)


def test_stop_ends_the_motion(streamed):
    settle(streamed, "walk")
    assert streamed.request("character.stop", character="alan", fade=0.1) == {"tick": 60}
    frames = streamed.step(90)
    assert hips(frames[60]) == pytest.approx(hips(frames[-1]), abs=1e-3)


def test_the_shipped_commands_answer(client):
    for command in ("dodge", "walk", "stand", "jump"):
        reply = client.request("character.call", character="alan", command=command, arguments={})
        assert set(reply) == {"result", "tick"}
        client.step(30)


COMMANDS = """local tweed = require "tweed"
return tweed.character {
  skeleton = tweed.skeleton { { name = "root", position = {0, 1, 0} },
                              { name = "tip", parent = "root", position = {0, .5, 0} } },
  commands = {
    echo = { help = "gives back its arguments", run = function(self, args) return args end },
    fail = { help = "fails", run = function(self, args) local function deep() error("no luck today") end deep() end },
    odd = { help = "gives what JSON can't hold", run = function() return { f = print } end },
    infinite = { help = "gives what JSON can't hold", run = function() return { 1 / 0 } end },
  },
}
"""


@pytest.fixture
def scripted(start, tmp_path):
    (tmp_path / "characters").mkdir()
    (tmp_path / "characters/puppet.lua").write_text(COMMANDS)
    (tmp_path / "scene.lua").write_text("""local tweed = require "tweed"
return tweed.scene { spawn = { { script = "characters/puppet", name = "judy" } } }
""")
    return start(scene=tmp_path / "scene.lua").client()


@pytest.mark.parametrize("value", [{"a": 1, "b": [True, "text", 2.5, {"c": "d"}]}, {"list": [1, 2, 3]},
                                   {"text": 'quotes " and \\ and é and \n'}])
def test_a_command_gets_its_arguments_and_gives_its_result(scripted, value):
    assert scripted.request("character.call", character="judy", command="echo", arguments=value)["result"] == value


@pytest.mark.parametrize("command", ["fail", "odd", "infinite"])
def test_an_error_in_a_command_goes_to_its_caller_and_stops_nothing(scripted, command):
    error = scripted.error("character.call", character="judy", command=command)
    assert error.code == -32004
    assert "puppet" in error.data.get("traceback", "") or command != "fail"
    if command == "fail":
        assert "no luck today" in error.message
        assert "characters/puppet.lua:7" in error.message + error.data["traceback"]
    assert scripted.request("character.call", character="judy", command="echo", arguments={"x": 1})["result"] == {"x": 1}
