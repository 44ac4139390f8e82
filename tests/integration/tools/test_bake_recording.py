"""`tweed bake RECORDING`: a shot from what was recorded, in whatever view, is the one that was streamed."""
import json

import numpy as np
import pytest
from geometry import to_matrices
from harness import Server, run
from test_bake import ASSETS, Shot, off_by

VIEWS = {
    "world": {"space": "world", "precision": 7},
    "world unreal trs": {"space": "world", "axes": "unreal", "layout": "trs", "precision": 6, "mesh": True},
    "model blender": {"space": "model", "axes": "blender", "precision": 7, "rate": 20},
    "parent unity trs": {"space": "parent", "axes": "unity", "layout": "trs", "precision": 7},
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The path of a recording of each view, of the same 31 ticks; and the same as matrices of the model and the world."""
    folder = tmp_path_factory.mktemp("recorded")
    paths, lines = {}, {}
    with Server(*ASSETS, meshes=True) as server, server.client(timeout=30) as client:
        client.subscribe(space="model", precision=7)
        client.subscribe(space="world", precision=7)
        for name, view in VIEWS.items():
            reply = client.request("stream.subscribe", policy="queue", **view)
            paths[name] = folder / f"{name.replace(' ', '_')}.ndjson"
            lines[reply["view"]] = paths[name], view, reply
        client.request("simulation.step", ticks=31)
        told = list(client.kept)
        hello = {"jsonrpc": "2.0", "method": "server.hello", "params": client.hello}
    frames = {space: {} for space in ("model", "world")}
    views = sorted({message["params"]["view"] for message in told if message["method"] == "stream.static"})
    for message in told:
        params = message["params"]
        if message["method"] == "stream.frame" and params["view"] in views[:2]:
            frames[("model", "world")[views.index(params["view"])]][params["tick"]] = to_matrices(params["bones"])
    for view, (path, asked, reply) in lines.items():
        written = [hello, {"jsonrpc": "2.0", "id": 1, "method": "stream.subscribe", "params": asked},
                   {"jsonrpc": "2.0", "id": 1, "result": reply}]
        written += [message for message in told if message["params"].get("view") == view]
        path.write_text("".join(json.dumps({k: v for k, v in message.items() if k != "raw"}) + "\n" for message in written))
    return paths, frames


@pytest.mark.parametrize("name", VIEWS)
def test_any_view_gives_the_same_shot(recorded, tmp_path, name):
    paths, frames = recorded
    out = tmp_path / "shot.glb"
    result = run("bake", paths[name], "--out", out, "--position-error", "0", "--rotation-error", "0", "--log-time", "none")
    assert result.returncode == 0, result.stderr
    shot = Shot(out)
    wanted = frames["world" if name.startswith("world") else "model"]
    messages = [json.loads(line) for line in paths[name].read_text().splitlines()[3:]]
    ticks = [message["params"]["tick"] for message in messages if message["method"] == "stream.frame"]
    assert shot.names[0] == "alan" and ("meshes" in shot.json) == ("mesh" in VIEWS[name])
    for tick in ticks:
        distance, angle = off_by(shot.world((tick - ticks[0]) / 60)[1:1 + len(wanted[tick])], wanted[tick])
        assert distance < 2e-5 and angle < 0.01, (tick, distance, angle)
    assert result.stderr.startswith(f"{out}: 1 character, {ticks[-1] - ticks[0] + 1} frames of 1/60 s, ")
    if "mesh" in VIEWS[name]:
        skin = shot.json["skins"][0]
        assert len(skin["joints"]) == len(wanted[ticks[0]])
        corners = shot.json["meshes"][0]["primitives"][0]
        points, normals = (shot.accessor(corners["attributes"][key]).astype(float) for key in ("POSITION", "NORMAL"))
        a, b, c = points[shot.accessor(corners["indices"])].reshape(-1, 3, 3).swapaxes(0, 1)
        facing = np.einsum("ij,ij->i", np.cross(b - a, c - a), normals[shot.accessor(corners["indices"])].reshape(-1, 3, 3).mean(1))
        assert (facing > 0).mean() > 0.95, "triangles face outwards"


def test_ticks_that_were_not_recorded_lead_evenly_on(recorded, tmp_path):
    paths, _ = recorded
    out = tmp_path / "shot.glb"
    run("bake", paths["model blender"], "--out", out, "--position-error", "0", "--rotation-error", "0")
    shot = Shot(out)
    hips = [shot.value(1, "translation", frame / 60) for frame in range(4)]  # two of them are between 3 ticks
    assert np.abs(hips[1] - (2 * hips[0] + hips[3]) / 3).max() < 1e-6
    assert np.abs(hips[2] - (hips[0] + 2 * hips[3]) / 3).max() < 1e-6


def test_a_part_of_a_recording(recorded, tmp_path):
    paths, frames = recorded
    out = tmp_path / "shot.glb"
    result = run("bake", paths["world"], "--from", "0.1", "--seconds", ".2", "--out", out, "--log-time", "none")
    assert result.stderr.startswith(f"{out}: 1 character, 13 frames of 1/60 s, 0 meshes of 0 vertices, ")
    first = min(frames["world"]) + 6
    found = Shot(out).world(0)
    assert off_by(found[1:], frames["world"][first])[0] < 1.01e-4


def _edit(line, change):
    message = json.loads(line)
    change(message["params"])
    return json.dumps(message)


def _drop_description(params):
    del params["description"]


def _drop_bone(params):
    params["bones"].pop()


def _own_parent(params):
    params["description"]["bones"][1]["parent"] = 1


def _short_matrix(params):
    params["description"]["bones"][2]["rest"].pop()


def _far_tick(params):
    params["tick"] += 10 ** 7


def _text_number(params):
    params["bones"][3][5] = "one"


@pytest.mark.parametrize("number, change, error", [
    (4, _drop_description, ':4: expected a description: record it without "static":false'),
    (4, _drop_bone, ':4: expected all bones: record it without "bones" and "kinds"'),
    (4, _own_parent, ":4: bones[1].parent: expected an integer from -1 to 0"),
    (4, _short_matrix, ":4: bones[2].rest: expected 16 numbers"),
    (-1, _drop_bone, ":{last}: bones: expected as many bones as stream.static lists"),
    (-1, _far_tick, ":{last}: expected a frame at least every 600 s: choose --from and --seconds"),
    (-1, _text_number, ":{last}: bones[3]: expected 16 numbers"),
])
def test_what_is_wrong_with_a_recording_is_told(recorded, tmp_path, number, change, error):
    paths, _ = recorded
    lines = paths["world"].read_text().splitlines()
    at = number - 1 if number > 0 else -1
    lines[at] = _edit(lines[at], change)
    error = error.format(last=len(lines))
    wrong = tmp_path / "wrong.ndjson"
    wrong.write_text("\n".join(lines) + "\n")
    result = run("bake", wrong, "--log-time", "none", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (1, f"error: {wrong}{error}: nothing was baked\n")
    assert list(tmp_path.iterdir()) == [wrong]


def test_a_line_that_was_cut_is_left_out(recorded, tmp_path):
    text = recorded[0]["world"].read_text()
    cut = tmp_path / "cut.ndjson"
    cut.write_text(text[:-20])
    result = run("bake", cut, "--log-time", "none", cwd=tmp_path)
    warning, done = result.stderr.splitlines()
    assert warning == f"warning: {cut}:{text.count(chr(10))}: the last line is not whole and is left out"
    assert result.returncode == 0 and done.startswith("cut.glb: 1 character, 31 frames of 1/60 s, ")


def test_options_of_a_recording(recorded, tmp_path):
    path = recorded[0]["world"]
    late = run("bake", path, "--from", "10", "--log-time", "none", cwd=tmp_path)
    assert (late.returncode, late.stderr) == (
        1, f"error: {path}: --from: expected at most 0.516667 s, which were recorded, found 10: nothing was baked\n")
    nobody = run("bake", path, "--characters", "b*", "--log-time", "none", cwd=tmp_path)
    assert (nobody.returncode, nobody.stderr) == (1, "error: no character matches --characters: nothing was baked\n")
    both = run("bake", path, path, cwd=tmp_path)
    assert (both.returncode, both.stderr) == (
        2, f'tweed: bake: expected scenes, or one recording alone, found "{path}" among 2 files\n')
    misnamed = tmp_path / "walk.nd"
    misnamed.write_bytes(path.read_bytes())
    other = run("bake", misnamed, cwd=tmp_path)
    assert (other.returncode, other.stderr) == (
        2, f'tweed: bake: expected a recording\'s name to end in .ndjson, found "{misnamed}"\n')
    misnamed.unlink()
    assert not list(tmp_path.iterdir())
    named = run("bake", path, "--log-time", "none", cwd=tmp_path)
    assert named.stderr.startswith(f"{tmp_path}/world.glb: ") or named.stderr.startswith("world.glb: ")
    assert (tmp_path / "world.glb").exists()
