"""stream.subscribe: what a view selects, and what frames then hold."""
import fnmatch
import os
import re
import sys

import numpy as np
import pytest
from harness import BINARY, ROOT

sys.path.insert(0, str(ROOT / "tests/bench"))
import crowds  # noqa: E402

ALLOCATION_COUNTER = BINARY.parent.parent / "bench/tweed_count_allocations.so"


def frame_matrices(frame):
    """The bones of a frame as [bone][row][column]."""
    return np.array(frame["bones"]).reshape(-1, 4, 4).transpose(0, 2, 1)


def from_trs(bone):
    x, y, z, w = bone[3:7]
    rotation = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
    matrix = np.eye(4)
    matrix[:3, :3] = rotation * bone[7:10]
    matrix[:3, 3] = bone[:3]
    return matrix


def is_rigid(matrices, tolerance):
    rotation = matrices[:, :3, :3]
    return (np.all(np.isfinite(matrices)) and np.all(matrices[:, 3] == [0, 0, 0, 1])
            and np.allclose(rotation @ rotation.transpose(0, 2, 1), np.eye(3), atol=tolerance)
            and np.allclose(np.linalg.det(rotation), 1, atol=tolerance))


def first_frame(client, **view):
    """Subscribes, and gives the static data and the frame that follow the reply at once."""
    reply = client.subscribe(**view)
    static = client.event("stream.static", view=reply["view"])
    return static, client.event("stream.frame", view=reply["view"])


def test_the_reply_then_static_data_then_the_current_frame(guest):
    reply = guest.subscribe()
    assert set(reply) == {"view", "characters"} and reply["characters"] == ["alan"]
    assert guest.take() == [], "nothing comes before the reply"
    static, frame = guest.read(), guest.read()
    assert (static["method"], frame["method"]) == ("stream.static", "stream.frame")
    static, frame = static["params"], frame["params"]
    assert set(static) == {"view", "character", "revision", "bones", "description"}
    assert set(frame) == {"view", "character", "revision", "tick", "time", "bones"}
    assert static["view"] == frame["view"] == reply["view"]
    assert (static["character"], frame["character"], frame["tick"], frame["time"]) == ("alan", "alan", 0, 0)
    assert static["revision"] == frame["revision"] == static["description"]["revision"]
    assert len(frame["bones"]) == len(static["bones"])
    assert all(len(bone) == 16 for bone in frame["bones"])


def test_the_description_is_that_of_character_describe(guest):
    static, _ = first_frame(guest)
    described = guest.request("character.describe", character="alan")
    assert static["description"] == described
    assert static["bones"] == [bone["name"] for bone in described["bones"]]


def test_two_seconds_at_sixty_hertz_in_rigid_matrices(client):
    client.subscribe()
    frames = client.step(120)
    assert [frame["tick"] for frame in frames] == list(range(1, 121))
    for frame in frames:
        assert is_rigid(frame_matrices(frame), 1e-4)
        assert frame["time"] == pytest.approx(frame["tick"] / 60, abs=1e-5)


def test_space_model_parent_and_world_agree(server, client):
    client.request("character.move", character="alan", position=[3, 0, -2], rotation=[0, 0.6, 0, 0.8])
    described = client.request("character.describe", character="alan")
    views = {space: client.subscribe(space=space, precision=7)["view"] for space in ("world", "model", "parent")}
    frames = {frame["view"]: frame for frame in client.step(40) if frame["tick"] == 40}
    world, model, parent = (frame_matrices(frames[views[space]]) for space in ("world", "model", "parent"))
    for index, bone in enumerate(described["bones"]):
        above = model[bone["parent"]] if bone["parent"] >= 0 else np.eye(4)
        assert np.allclose(above @ parent[index], model[index], atol=2e-6), bone["name"]
    root = world[0] @ np.linalg.inv(model[0])
    assert np.allclose(root @ model, world, atol=5e-6)
    assert not np.allclose(root, np.eye(4), atol=1e-2)


def test_layout_trs_says_the_same_as_matrices(server, client):
    matrix_view = client.subscribe(precision=7)["view"]
    trs_view = client.subscribe(precision=7, layout="trs")["view"]
    frames = {frame["view"]: frame for frame in client.step(25) if frame["tick"] == 25}
    for bone, matrix in zip(frames[trs_view]["bones"], frame_matrices(frames[matrix_view]), strict=True):
        assert len(bone) == 10
        assert np.linalg.norm(bone[3:7]) == pytest.approx(1, abs=1e-5)
        assert bone[7:] == pytest.approx([1, 1, 1], abs=1e-5)
        assert np.allclose(from_trs(bone), matrix, atol=2e-6)


@pytest.mark.parametrize("precision", [2, 3, 5, 7])
def test_precision_is_the_number_of_decimals(guest, precision):
    reply = guest.subscribe(precision=precision, particles=True)
    raw = guest.next_notification("stream.frame", view=reply["view"])["raw"].decode()
    numbers = re.findall(r"(?<=[\[,:])[-+0-9.eE]+", raw[raw.index('"bones"'):])
    decimals = [len(number.partition(".")[2]) for number in numbers]
    assert max(decimals) == precision
    assert not any("e" in number.lower() for number in numbers)
    assert not any(re.fullmatch(r"-0(\.0*)?", number) for number in numbers), "minus zero is written as zero"


def test_precision_seven_holds_what_precision_two_rounds(server, client):
    fine, coarse = (client.subscribe(precision=digits)["view"] for digits in (7, 2))
    frames = {frame["view"]: frame_matrices(frame) for frame in client.step(10) if frame["tick"] == 10}
    assert np.max(np.abs(frames[fine] - frames[coarse])) <= 0.005 + 1e-7


@pytest.mark.parametrize("kinds", [["cloth"], ["skeleton"], ["driven"], ["pendulum"], ["cloth", "pendulum"], ["chain"]])
def test_kinds_select_bones(guest, kinds):
    static, frame = first_frame(guest, kinds=kinds)
    expected = [bone["name"] for bone in static["description"]["bones"] if bone["kind"] in kinds]
    assert static["bones"] == expected and len(frame["bones"]) == len(expected)


def test_bones_by_name_and_glob_in_the_order_of_the_description(guest):
    names = [bone["name"] for bone in guest.request("character.describe", character="alan")["bones"]]
    globs = ["*Arm*", names[3], "j*[0-9]", "?ips"]
    static, _ = first_frame(guest, bones=globs)
    expected = [name for name in names if any(fnmatch.fnmatchcase(name, glob) for glob in globs)]
    assert static["bones"] == expected and expected


def test_a_bone_must_match_names_and_kinds_both(guest):
    static, _ = first_frame(guest, bones=["Left*"], kinds=["skeleton"])
    kinds = {bone["name"]: bone["kind"] for bone in static["description"]["bones"]}
    assert static["bones"] == [name for name, kind in kinds.items() if name.startswith("Left") and kind == "skeleton"]


def test_a_view_of_nobody_streams_nothing(server, client):
    assert client.subscribe(characters=["nobody", "x*"])["characters"] == []
    assert client.step(5) == []


def test_characters_by_glob(guest):
    assert guest.subscribe(characters=["a?a*"], precision=6)["characters"] == ["alan"]


def test_particles_and_references_on_request(guest):
    _, frame = first_frame(guest, particles=True, references=True, space="model", precision=7)
    described = guest.request("character.describe", character="alan")
    for key in ("particles", "references"):
        assert set(frame[key]) == {"jacket", "hood"}
        assert len(frame[key]["jacket"]) == 3 * 234 and len(frame[key]["hood"]) == 6
    assert np.allclose(frame["particles"]["jacket"], frame["references"]["jacket"], atol=0.02), "tick 0: at rest"
    names = [bone["name"] for bone in described["bones"]]
    positions = np.array(frame["particles"]["jacket"]).reshape(-1, 3)
    matrices = frame_matrices(frame)
    jacket = described["garments"][[garment["name"] for garment in described["garments"]].index("jacket")]
    for particle, bone in jacket["bones"]:
        assert np.allclose(matrices[bone][:3, 3], positions[particle], atol=1e-6), names[bone]


def test_particles_alone_bring_no_references(guest):
    _, frame = first_frame(guest, particles=True)
    assert "particles" in frame and "references" not in frame


def garment_bones(client):
    return {garment["name"]: len(garment["bones"])
            for garment in client.request("character.describe", character="alan")["garments"]}


def test_wrinkles_on_request_are_a_weight_for_each_bone_of_each_garment(guest):
    bones = garment_bones(guest)
    _, frame = first_frame(guest, bones=["Hips"], wrinkles=True)
    assert {name: (set(weights), len(weights["warp"]), len(weights["weft"]))
            for name, weights in frame["wrinkles"].items()} \
        == {name: ({"warp", "weft"}, count, count) for name, count in bones.items()}
    assert max(frame["wrinkles"]["jacket"]["weft"]) < .5, "it begins near the shape that it was modelled in"
    _, frame = first_frame(guest, bones=["Hips"])
    assert "wrinkles" not in frame


def test_wrinkles_of_two_views_are_the_same_numbers(server, client):
    views = [client.subscribe(wrinkles=True, precision=6, **seen)["view"]
             for seen in ({}, {"kinds": ["pendulum"], "axes": "unreal", "layout": "trs"})]
    plain = client.subscribe(precision=6)["view"]
    assert len({plain, *views}) == 3, "wrinkles are part of a view"
    client.request("world.set", wind={"velocity": [8, 0, 6]})
    frames = client.step(90)
    seen = [[frame["wrinkles"] for frame in frames if frame["view"] == view] for view in views]
    assert seen[0] == seen[1] and len(seen[0]) == 90
    assert all("wrinkles" not in frame for frame in frames if frame["view"] == plain)
    weights = np.array([[wrinkles["jacket"][way] for way in ("warp", "weft")] for wrinkles in seen[0]])
    assert weights.min() == 0 and 0.2 < weights.max() <= 1, "the storm folds the jacket"


def test_particles_are_in_the_space_of_the_view_and_model_where_that_is_parent(server, client):
    client.request("character.move", character="alan", position=[5, 0, 5])
    views = {space: client.subscribe(space=space, particles=True, precision=6)["view"]
             for space in ("world", "model", "parent")}
    frames = {frame["view"]: frame for frame in client.step(30) if frame["tick"] == 30}
    points = {space: np.array(frames[view]["particles"]["jacket"]).reshape(-1, 3) for space, view in views.items()}
    root = (frame_matrices(frames[views["world"]])[0] @ np.linalg.inv(frame_matrices(frames[views["model"]])[0]))
    assert np.array_equal(points["model"], points["parent"])
    assert np.allclose(points["model"] @ root[:3, :3].T + root[:3, 3], points["world"], atol=1e-5)


def test_static_false_leaves_the_description_out(guest):
    static, frame = first_frame(guest, static=False)
    assert "description" not in static
    assert len(static["bones"]) == len(frame["bones"])


@pytest.mark.parametrize("rate", [20, 7.5, 60, 1000])
def test_rate_sends_where_the_count_grows(server, client, rate):
    view = client.subscribe(rate=rate)["view"]
    ticks = [frame["tick"] for frame in client.step(120) if frame["view"] == view and frame["tick"] > 0]
    assert ticks == [tick for tick in range(1, 121) if int(tick * rate / 60) > int((tick - 1) * rate / 60)]


def test_equal_views_are_one_integer_and_the_same_bytes_everywhere(server):
    one, other = server.client(), server.client()
    view = one.subscribe(particles=True, kinds=["cloth"])["view"]
    assert isinstance(view, int)
    assert other.subscribe(kinds=["cloth"], particles=True, precision=5, rate=60)["view"] == view
    assert other.subscribe(kinds=["cloth"], particles=True, precision=4)["view"] != view


def test_frames_of_a_shared_view_are_equal_bytes(server):
    stepper, watcher = server.client(), server.client()
    for client in (stepper, watcher):
        client.subscribe(particles=True, precision=6)
    stepper.request("simulation.step", ticks=30)
    watcher.drain(0.3)
    raw = [{m["params"]["tick"]: m["raw"] for m in client.kept if m["method"] == "stream.frame"}
           for client in (stepper, watcher)]
    assert set(raw[0]) == set(range(31)) and len(raw[1]) > 1
    for tick, line in raw[1].items():
        assert line == raw[0][tick]


def test_subscribing_again_replaces_what_belongs_to_the_subscription(server, client):
    view = client.subscribe(rate=10)["view"]
    assert client.subscribe(rate=60)["view"] == view
    assert client.request("server.stats")["clients"][0]["views"] == 1
    client.drain(0.1)
    assert [frame["tick"] for frame in client.step(12)] == list(range(1, 13))


def test_unsubscribing_ends_the_stream(server, client):
    view = client.subscribe()["view"]
    other = client.subscribe(precision=3)["view"]
    client.request("stream.unsubscribe", view=view)
    client.drain(0.1)
    assert {frame["view"] for frame in client.step(5)} == {other}
    error = client.error("stream.unsubscribe", view=view)
    assert (error.code, error.path) == (-32001, "params.view")


def test_sixteen_views_a_connection_and_sixty_four_in_all(server):
    clients = [server.client() for _ in range(5)]
    for number, client in enumerate(clients[:4]):
        for index in range(16):
            client.subscribe(bones=[f"none_{number}_{index}"])
        assert client.error("stream.subscribe", bones=["one more"]).code == -32003
    assert clients[4].error("stream.subscribe", bones=["one more"]).code == -32003
    clients[4].subscribe(bones=["none_0_0"])
    clients[0].close()
    clients[4].request("session.ping")
    clients[4].subscribe(bones=["now there is room"])


@pytest.mark.parametrize("params, path, words", [
    ({"characters": "alan"}, "params.characters", ["array"]),
    ({"characters": [1]}, "params.characters[0]", ["string"]),
    ({"bones": ["ok", None]}, "params.bones[1]", ["string"]),
    ({"kinds": ["skeleton", "cloths"]}, "params.kinds[1]", ["cloths", "cloth"]),
    ({"space": "word"}, "params.space", ["word", "world"]),
    ({"layout": "quaternions"}, "params.layout", ["matrix", "trs"]),
    ({"precision": 1}, "params.precision", ["2", "7"]),
    ({"precision": 8}, "params.precision", ["2", "7"]),
    ({"precision": 4.5}, "params.precision", []),
    ({"precision": "5"}, "params.precision", []),
    ({"rate": 0}, "params.rate", []),
    ({"rate": -1}, "params.rate", []),
    ({"particles": 1}, "params.particles", []),
    ({"references": "yes"}, "params.references", []),
    ({"static": None}, "params.static", []),
    ({"policy": "newest"}, "params.policy", ["latest"]),
    ({"precison": 3}, "params.precison", ["precison", "precision"]),
    ({"character": ["alan"]}, "params.character", ["characters"]),
])
def test_a_bad_view_says_what_and_where(guest, params, path, words):
    before = guest.request("server.stats")["clients"]
    error = guest.error("stream.subscribe", **params)
    assert (error.code, error.path) == (-32602, path), error
    assert all(word in error.message for word in words), error.message
    after = guest.request("server.stats")["clients"]
    assert [entry["views"] for entry in after] == [entry["views"] for entry in before]


@pytest.mark.skipif(os.environ.get("TWEED_PRESET", "release") != "release", reason="a sanitizer allocates by itself")
@pytest.mark.skipif(not ALLOCATION_COUNTER.exists(), reason="the counter is built with the benchmarks")
def test_a_tick_of_a_server_with_a_subscriber_allocates_nothing():
    found = crowds.count_allocations(BINARY.parent.parent)
    if found is None:
        pytest.skip("only glibc's allocations are counted")
    assert found == 0
