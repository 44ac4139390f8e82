"""Poses from outside: which tick they are in, who wins, the way back to the script, what the cloth makes of them."""
import json
import time

import numpy as np
import pytest
from geometry import to_matrices
from harness import PATIENCE, SANITIZED, RpcError

RATE = 60
POLE = """
local tweed = require "tweed"
return tweed.character {
  skeleton = tweed.skeleton {
    { name = "hips", position = { 0, 1, 0 } },
    { name = "arm", parent = "hips", position = { .2, .4, 0 } },
    { name = "hand", parent = "arm", position = { .3, 0, 0 } },
  },
  driven = { tweed.bone { name = "pad", parent = "arm", position = { 0, .1, 0 } } },
  clips = { sway = tweed.clip { duration = 2, sample = function(t)
    return { hips = { rotation = tweed.quaternion.axis_angle({ 0, 1, 0 }, math.sin(math.pi * t)) } }
  end } },
  garments = {
    tweed.chain { name = "rope", bone = "hand", fabric = "silk", points = { {0, 0, 0}, {0, -.2, 0}, {0, -.4, 0} } },
  },
  on_spawn = function(self) self:play("sway", { loop = true, fade = 0 }) end,
  %s
}
"""
BONES = ["hips", "arm", "hand", "pad"]
QUARTER = [0, 0, 0.7071067811865476, 0.7071067811865476]  # about z


@pytest.fixture
def pole(start, tmp_path):
    """pole(*options, more=): a paused server with one pole, named "pole"; gives it and a client that watches."""
    def start_pole(*options, more="", **settings):
        (tmp_path / "pole.lua").write_text(POLE % more)
        server = start(*options, scene=tmp_path / "pole.lua", **settings)
        client = server.client()
        client.subscribe(space="model", precision=7, bones=BONES)
        return server, client

    return start_pole


def bones_of(frame):
    return dict(zip(BONES, to_matrices(frame["bones"])))


def pose(client, space="parent", **params):
    return client.request("character.pose", character="pole", space=space, **params)


def turn(client, bone, rotation=tuple(QUARTER)):
    return pose(client, bones={bone: {"rotation": list(rotation)}})


def angle(matrix):
    """Of its x axis about z, degrees."""
    return np.degrees(np.arctan2(matrix[1, 0], np.hypot(matrix[0, 0], matrix[2, 0])))


# --- when ---


def test_it_is_in_the_next_ticks_frame_with_its_sequence(pole):
    _, client = pole()
    for sequence in range(3):
        client.notify("character.pose", character="pole", space="model", sequence=sequence,
                      bones={"hand": {"position": [0.5, 1.2, sequence / 10], "rotation": [0, 0, 0, 1]}})
        frame, = client.step(1)
        assert frame["sequence"] == sequence
        assert np.abs(bones_of(frame)["hand"][:3, 3] - [0.5, 1.2, sequence / 10]).max() < 1e-6
    frames = client.step(3)
    assert [frame["sequence"] for frame in frames] == [2, 2, 2], "and after"
    reply = pose(client, bones={}, sequence=9)
    assert reply == {"tick": frames[-1]["tick"], "ignored": []}, "at once while paused"
    assert client.step(1)[0]["sequence"] == 9


def test_the_reply_names_the_tick_of_the_first_frame_that_shows_it_live(pole):
    _, client = pole(paused=False)
    for sequence in range(1, 20):
        asked = pose(client, bones={"hand": {"position": [0, 0, sequence]}}, sequence=sequence)["tick"]
        while True:
            frame = client.next_notification("stream.frame")["params"]
            if frame.get("sequence") == sequence:
                break
            assert frame["tick"] < asked
        assert frame["tick"] == asked


def test_frames_before_and_after_a_pose_have_no_sequence(pole):
    _, client = pole()
    assert "sequence" not in client.step(1)[0]
    pose(client, bones={"arm": {"rotation": QUARTER}})
    assert "sequence" not in client.step(1)[0]
    pose(client, bones={"arm": {"rotation": QUARTER}}, sequence=5)
    client.request("character.release", character="pole")
    frames = client.step(13)
    assert [frame.get("sequence") for frame in frames] == [5] * 12 + [None]


# --- what ---


def test_partial_poses_keep_what_they_leave_out(pole):
    _, client = pole()
    turn(client, "arm")
    pose(client, bones={"arm": {"position": [0.2, 0.6, 0]}})
    bones = bones_of(client.step(1)[0])
    assert angle(bones["arm"]) == pytest.approx(90, abs=1e-3)
    own = np.linalg.inv(bones["hips"]) @ bones["arm"]
    assert np.abs(own[:3, 3] - [0.2, 0.6, 0]).max() < 1e-6
    assert np.abs((np.linalg.inv(bones["arm"]) @ bones["hand"])[:3, 3] - [0.3, 0, 0]).max() < 1e-6
    pad = np.linalg.inv(bones["arm"]) @ bones["pad"]
    assert np.abs(pad[:3, 3] - [0, 0.1, 0]).max() < 1e-6, "driven bones follow"


def test_model_space_holds_against_a_clip_that_moves_the_parents(pole):
    _, client = pole()
    pose(client, "model", bones={"hand": {"position": [0.4, 1.5, 0.2], "rotation": QUARTER},
                                 "arm": {"rotation": [0, 0, 0, 1]}})
    places = [bones_of(frame) for frame in client.step(30)]
    for bones in places:
        assert np.abs(bones["hand"][:3, 3] - [0.4, 1.5, 0.2]).max() < 1e-6
        assert angle(bones["hand"]) == pytest.approx(90, abs=1e-3)
        assert np.abs(bones["arm"][:3, :3] - np.eye(3)).max() < 1e-6
    assert np.abs(places[0]["arm"][:3, 3] - places[-1]["arm"][:3, 3]).max() > 0.05, "the clip goes on"


def test_unknown_bones(pole):
    _, client = pole()
    bones = {"arm": {"rotation": QUARTER}, "hamd": {"position": [0, 0, 0]}, "rope_0_0": {}, "tail": {}}
    error = client.error("character.pose", character="pole", space="parent", bones=bones)
    assert (error.code, error.path) == (-32001, "params.bones.hamd")
    assert error.message == ('no bones "hamd" (did you mean "hand"?), "rope_0_0" that can be posed (it is of the '
                             'garment "rope"), "tail"')
    assert angle(bones_of(client.step(1)[0])["arm"]) == pytest.approx(0, abs=1e-3), "dropped whole"
    reply = pose(client, bones=bones, ignore_unknown=True)
    assert reply["ignored"] == ["hamd", "rope_0_0", "tail"]
    assert angle(bones_of(client.step(1)[0])["arm"]) == pytest.approx(90, abs=1e-3)
    error = client.error("character.release", character="pole", bones=["arm", "leg"])
    assert (error.code, error.path, error.message) == (-32001, "params.bones[1]", 'no bone "leg"')
    many = {f"bone{i}": {} for i in range(20)}
    error = client.error("character.pose", character="pole", space="parent", bones=many)
    assert error.message.startswith('no bones "bone0", ') and error.message.endswith('"bone7" and 12 more')


def test_a_bone_given_twice_is_refused(pole):
    _, client = pole()
    client.send_bytes(b'{"jsonrpc":"2.0","id":77,"method":"character.pose","params":{"character":"pole","space":'
                      b'"parent","bones":{"arm":{},"hand":{},"arm":{}}}}\n')
    with pytest.raises(RpcError) as raised:
        client.finish(77)
    assert (raised.value.code, raised.value.path) == (-32602, "params.bones.arm")


@pytest.mark.alone
def test_faulty_notifications_are_told_to_their_sender_once_a_second(pole):
    server, client = pole()
    other = server.client()
    faulty = {"character": "pole", "space": "parent", "bones": {"hips": {"rotation": [0, 0, "x", 1]}}}
    message = "params.bones.hips.rotation[2] must be a number from -1000000 to 1000000, not \"x\""
    begun = time.monotonic()
    for _ in range(40):
        client.notify("character.pose", **faulty)
    client.request("session.ping")
    first = client.event("log")
    assert first == {"tick": 0, "level": "error", "message": f"1 notification dropped: character.pose: {message}"}
    told, last = 1, begun
    while told < 40:  # all are counted, though nothing more is sent
        event = client.event("log")
        now = time.monotonic()
        assert now - last > 0.9, "a second apart"
        told, last = told + int(event["message"].split()[0]), now
        assert event["message"].endswith(f"notifications dropped, the last: character.pose: {message}")
    assert told == 40
    client.request("session.open", events=False)
    client.notify("character.pose", **faulty)
    client.notify("no.method")
    time.sleep(1.1)
    client.request("session.ping")
    other.request("session.ping")
    assert not client.take("log") and not other.take("log")
    assert "sequence" not in client.step(1)[0]


# --- whose ---


def test_of_two_clients_the_last_one_has_each_bone(pole):
    server, client = pole()
    other = server.client()
    pose(client, bones={"arm": {"rotation": QUARTER}, "hand": {"rotation": QUARTER}}, sequence=1)
    pose(other, bones={"hand": {"rotation": [0, 0, 0, 1]}}, sequence=2)
    frame, = client.step(1)
    bones = bones_of(frame)
    assert frame["sequence"] == 2
    assert angle(np.linalg.inv(bones["hips"]) @ bones["arm"]) == pytest.approx(90, abs=1e-3)
    assert angle(np.linalg.inv(bones["arm"]) @ bones["hand"]) == pytest.approx(0, abs=1e-3)


def smooth(t):
    t = min(max(t, 0), 1)
    return (3 - 2 * t) * t * t


def angles(frames):
    return [angle(np.linalg.inv(bones["hips"]) @ bones["arm"]) for bones in map(bones_of, frames)]


def test_release_blends_back_within_a_fifth_of_a_second(pole):
    _, client = pole()
    turn(client, "arm")
    turn(client, "hand")
    client.step(2)
    assert client.request("character.release", character="pole", bones=["arm"]) == {"tick": 2}
    frames = client.step(14)
    assert angles(frames) == pytest.approx([90 * smooth(1 - tick / 12) for tick in range(1, 15)], abs=1e-3)
    last = bones_of(frames[-1])
    assert angle(np.linalg.inv(last["arm"]) @ last["hand"]) == pytest.approx(90, abs=1e-3), "still posed"


def leave(server, client, watcher):
    client.close()
    deadline = time.monotonic() + 5 * PATIENCE
    while len(watcher.request("server.stats")["clients"]) > 1:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_who_leaves_is_released_after_the_timeout(pole):
    server, watcher = pole()
    driver, heir = server.client(), server.client()
    turn(driver, "arm")
    turn(driver, "hand")
    turn(heir, "hand")
    heir.close()
    watcher.step(5)
    leave(server, driver, watcher)
    frames = watcher.step(120 + 14)
    expected = [90] * 120 + [90 * smooth(1 - tick / 12) for tick in range(1, 15)]
    assert angles(frames) == pytest.approx(expected, abs=1e-3)


def test_another_drivers_bones_stay(pole):
    server, watcher = pole("--pose-timeout", 1)
    driver, heir = server.client(), server.client()
    turn(driver, "arm")
    turn(heir, "arm")
    driver.close()
    watcher.step(90)
    assert angles(watcher.step(1)) == pytest.approx([90], abs=1e-3)
    leave(server, heir, watcher)
    assert angles(watcher.step(90))[-1] == pytest.approx(0, abs=1e-3)


def test_without_timeout_it_stays(pole):
    server, watcher = pole("--pose-timeout", 0)
    driver = server.client()
    turn(driver, "arm")
    leave(server, driver, watcher)
    assert angles(watcher.step(300))[-1] == pytest.approx(90, abs=1e-3)


def test_reset_gives_it_back_at_once(pole):
    _, client = pole()
    turn(client, "arm")
    client.step(1)
    client.request("character.reset", character="pole")
    assert angles(client.step(1)) == pytest.approx([0], abs=1e-3)


# --- cloth ---


def jump(client, teleport):
    """Alan's cloth after half a second of standing, then turned round and put half a metre off."""
    client.request("character.reset", character="alan")
    client.request("character.play", character="alan", clip="stand", loop=True, fade=0)
    client.step(60)
    description = client.request("character.describe", character="alan")
    jacket = next(garment for garment in description["garments"] if garment["name"] == "jacket")
    before = client.step(1)[-1]
    hips = next(i for i, bone in enumerate(description["bones"]) if bone["name"] == "Hips")
    matrix = to_matrices(before["bones"])[hips]
    place = matrix[:3, 3] + [0.5, 0, 0.3]
    client.request("character.pose", character="alan", space="model", teleport=teleport,
                   bones={"Hips": {"position": place.tolist(), "rotation": [0, 0.9, 0, 0.436]}})
    frames = [before, *client.step(30)]
    points = np.array([frame["particles"]["jacket"] for frame in frames]).reshape(31, -1, 3)
    references = np.array([frame["references"]["jacket"] for frame in frames]).reshape(31, -1, 3)
    ways = np.linalg.norm(points - references, axis=2)
    speeds = np.linalg.norm(np.diff(points, axis=0), axis=2) * RATE
    limits = np.array(jacket["max_distance"])
    assert (ways[1:] <= limits + 1e-4).all()
    lengths = np.linalg.norm(np.diff(points.reshape(31, jacket["rows"], jacket["columns"], 3), axis=1), axis=3)
    rest = np.linalg.norm(np.diff(np.array(jacket["rest"]).reshape(jacket["rows"], -1, 3), axis=0), axis=2)
    assert np.abs(lengths / rest - 1).max() < 1e-4
    return np.abs(ways[1] - ways[0]).max(), speeds[1:].max()


def test_a_teleport_takes_the_cloth_along_where_a_jump_whips_it(client):
    client.subscribe(characters=["alan"], space="model", precision=7, particles=True, references=True)
    whipped, carried = jump(client, False), jump(client, True)
    print("change of way from the references in the tick, m; fastest after it, m/s:", whipped, carried)
    assert carried[0] < 0.01 < whipped[0]
    assert carried[1] < 0.2 * whipped[1]


# --- again and again ---


def test_the_same_poses_give_the_same_frames(pole):
    def run(*options):
        _, client = pole(*options)
        lines = []
        for i in range(40):
            client.notify("character.pose", character="pole", space=["parent", "model"][i % 2], sequence=i,
                          teleport=i % 7 == 0, bones={BONES[i % 4]: {"rotation": [0.1 * i, 0.3, 0, 1]}})
            if i % 9 == 8:
                client.notify("character.release", character="pole", bones=["hips"])
            client.step(3)
            lines += [message["raw"] for message in client.kept if message["method"] == "stream.frame"]
            client.kept.clear()
        return lines

    first = run()
    assert first == run("--threads", 1) and len(set(first)) == len(first)


def test_of_poses_that_pile_up_the_newest_is_applied(pole):
    """More come between two ticks than are served, 256."""
    server, _ = pole("--rate", 30, paused=False)
    client = server.client()
    client.subscribe(bones=["hand"])
    lines = [json.dumps({"jsonrpc": "2.0", "method": "character.pose", "params": {
        "character": "pole", "space": "parent", "sequence": sequence,
        "bones": {"hand": {"position": [0, sequence / 5000, 0]}}}}) for sequence in range(5000)]
    client.send_bytes("\n".join(lines).encode() + b"\n")
    moved = client.request("character.move", character="pole", position=[1, 0, 0])["tick"]
    frames = [frame for frame in client.take("stream.frame") if frame.get("sequence") is not None]
    posed = client.event("stream.frame", tick=moved) if not frames or frames[-1]["tick"] < moved else frames[-1]
    assert posed["sequence"] == 4999
    first = frames[0]["tick"] if frames else moved
    assert SANITIZED or moved - first < 5000 / 256 / 2  # reading alone takes some ticks there


def test_a_pose_that_fails_takes_no_valid_one_away(pole):
    """Both wait for the tick; the second is what a camera sends that has lost the hand."""
    server, _ = pole("--rate", 30, paused=False)
    client = server.client()
    client.subscribe(bones=["hand"])
    good, bad = ({"jsonrpc": "2.0", "method": "character.pose", "params": {
        "character": "pole", "space": "parent", "bones": {"hand": {"rotation": rotation}}}} for rotation in (QUARTER, [0, 0, 0, 0]))
    move = {"jsonrpc": "2.0", "id": 900, "method": "character.move", "params": {"character": "pole", "position": [1, 0, 0]}}
    client.send_bytes("".join(json.dumps(each) + "\n" for each in (good, bad, move)).encode())
    moved = client.finish(900)["tick"]
    hand = np.array(client.event("stream.frame", tick=moved)["bones"][0][:3])
    assert np.allclose(np.abs(hand), [0, 1, 0], atol=1e-3), hand  # its x axis, turned by a quarter


def test_scripts_pose_under_the_same_name(pole):
    _, client = pole(more="""
  commands = {
    ask = { run = function(self, arguments)
      return tweed.request("character.pose", { character = self.name, space = "parent", sequence = 3,
        bones = { arm = { rotation = arguments }, leg = {} }, ignore_unknown = true })
    end },
    release = { run = function(self) return tweed.request("character.release", { character = self.name }) end },
  },
""")
    reply = client.request("character.call", character="pole", command="ask", arguments=QUARTER)
    assert reply["result"] == {"tick": 0, "ignored": ["leg"]}
    frame, = client.step(1)
    assert angles([frame]) == pytest.approx([90], abs=1e-3) and frame["sequence"] == 3
    client.request("character.call", character="pole", command="release")
    assert angles(client.step(12))[-1] == pytest.approx(0, abs=1e-3)


def test_a_pose_survives_a_reload_but_for_another_skeleton(pole, tmp_path):
    _, client = pole()
    turn(client, "arm")
    client.step(1)
    client.request("script.reload")
    assert angles(client.step(3)) == pytest.approx([90] * 3, abs=1e-3)
    text = (tmp_path / "pole.lua").read_text()
    (tmp_path / "pole.lua").write_text(text.replace('name = "hand"', 'name = "fist"').replace('"hand"', '"fist"'))
    client.request("script.reload")
    client.request("stream.subscribe", space="model", precision=6, bones=["hips", "arm"])
    frame = [frame for frame in client.step(1) if len(frame["bones"]) == 2][-1]
    hips, arm = to_matrices(frame["bones"])
    assert angle(np.linalg.inv(hips) @ arm) == pytest.approx(0, abs=1e-3)


def test_what_on_spawn_poses_at_a_reload_comes_over_what_was_posed_before(pole, tmp_path):
    _, client = pole()
    file = tmp_path / "pole.lua"
    file.write_text(file.read_text().replace("on_spawn = function(self) ", """on_spawn = function(self)
      self:pose { arm = { rotation = { 0, 0, -.6, .8 } } } """))
    turn(client, "arm")
    turn(client, "hand")
    client.step(1)
    client.request("script.reload")
    bones = bones_of(client.step(1)[0])
    turned = angle(np.linalg.inv(bones["hips"]) @ bones["arm"])
    assert turned == pytest.approx(-2 * np.degrees(np.arcsin(0.6)), abs=1e-3), "the script's"
    assert angle(np.linalg.inv(bones["arm"]) @ bones["hand"]) == pytest.approx(90, abs=1e-3), "the client's still"
