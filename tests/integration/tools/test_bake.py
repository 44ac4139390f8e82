"""`tweed bake`: the file holds, at every frame, what the server streams; it is valid, the same each time, and whole."""
import json
import os
import signal
import struct
import subprocess
import time

import numpy as np
import pytest
from geometry import to_matrices
from harness import BINARY, PATIENCE, SANITIZED, WAKE, light_assets, run

COMPONENTS = {5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
ASSETS = light_assets() if SANITIZED else []
POLE = """local tweed = require "tweed"
return tweed.character { skeleton = tweed.skeleton { { name = "pole", position = { 0, 1, 0 } } } }"""
SCENE = """local tweed = require "tweed"
return tweed.scene { spawn = { %s } }"""


class Shot:
    """A .glb file: nodes, and where they are at any frame, by the format's own rules (slerp, straight lines)."""

    def __init__(self, path):
        data = path.read_bytes()
        magic, version, total, length, kind = struct.unpack_from("<4sIII4s", data)
        assert (magic, version, total, kind) == (b"glTF", 2, len(data), b"JSON")
        self.json = json.loads(data[20:20 + length])
        binary, kind = struct.unpack_from("<I4s", data, 20 + length)
        assert kind == b"BIN\0" and 28 + length + binary == total
        self.binary = data[28 + length:]
        self.nodes = self.json["nodes"]
        self.names = [node["name"] for node in self.nodes]
        self.parents = [-1] * len(self.nodes)
        for i, node in enumerate(self.nodes):
            for child in node.get("children", []):
                self.parents[child] = i
        self.curves = {(channel["target"]["node"], channel["target"]["path"]):
                       [self.accessor(animation["samplers"][channel["sampler"]][key]) for key in ("input", "output")]
                       for animation in self.json.get("animations", []) for channel in animation["channels"]}

    def accessor(self, index):
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        count = accessor["count"] * WIDTHS[accessor["type"]]
        start = view["byteOffset"] + accessor["byteOffset"]
        kind = COMPONENTS[accessor["componentType"]]
        assert accessor["byteOffset"] + count * kind().itemsize <= view["byteLength"]
        values = np.frombuffer(self.binary, kind, count, start)
        return values if accessor["type"] == "SCALAR" else values.reshape(accessor["count"], -1)

    def value(self, node, path, time):
        if (node, path) not in self.curves:
            return np.array(self.nodes[node].get(path, [0, 0, 0, 1] if path == "rotation" else [0, 0, 0]))
        times, values = self.curves[node, path]
        at = int(np.clip(np.searchsorted(times, time, "right") - 1, 0, len(times) - 2))
        share = np.clip((time - times[at]) / (times[at + 1] - times[at]), 0, 1)
        a, b = values[at].astype(float), values[at + 1].astype(float)
        if path == "translation":
            return a + share * (b - a)
        dot = a @ b
        if dot < 0:
            b, dot = -b, -dot
        arc = np.arccos(min(dot, 1))
        mixed = (1 - share) * a + share * b if arc < 1e-6 else (np.sin((1 - share) * arc) * a + np.sin(share * arc) * b) / np.sin(arc)
        return mixed / np.linalg.norm(mixed)

    def world(self, time):
        """[nodes][4][4] at a time."""
        matrices = []
        for node, parent in enumerate(self.parents):
            assert parent < node
            x, y, z, w = self.value(node, "rotation", time)
            local = np.eye(4)
            local[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                             [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                             [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
            local[:3, 3] = self.value(node, "translation", time)
            matrices.append(matrices[parent] @ local if parent >= 0 else local)
        return np.array(matrices)


def bake(path, *options, scene=WAKE):
    result = run("bake", scene, "--out", path, "--log-time", "none", *ASSETS, *options)
    assert result.returncode == 0, result.stderr
    return Shot(path), result


def off_by(found, wanted):
    """Of matrices: the greatest distance of their origins in metres, and angle in degrees."""
    turns = np.einsum("...ji,...jk->...ik", found[..., :3, :3], wanted[..., :3, :3])
    skew = turns - np.swapaxes(turns, -1, -2)
    sine = np.sqrt(skew[..., 2, 1] ** 2 + skew[..., 0, 2] ** 2 + skew[..., 1, 0] ** 2) / 2
    cosine = (np.trace(turns, axis1=-2, axis2=-1) - 1) / 2
    return (np.linalg.norm(found[..., :3, 3] - wanted[..., :3, 3], axis=-1).max(),
            np.degrees(np.arctan2(sine, cosine)).max())


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    return bake(tmp_path_factory.mktemp("bake") / "walk.glb", "--seconds", "1")


def test_bones_and_vertices_are_where_the_server_streams_them(walk, start):
    shot, _ = walk
    client = start(meshes=True).client()
    client.subscribe(space="world", precision=7)
    frames = client.step(60)
    described = client.request("character.describe", character="alan", mesh=True)
    count = len(described["bones"])
    assert shot.names[:1 + count] == ["alan", *(bone["name"] for bone in described["bones"])]
    assert shot.parents[1:1 + count] == [bone["parent"] + 1 for bone in described["bones"]]
    most = 0
    for frame in frames:
        world, streamed = shot.world(frame["tick"] / 60), to_matrices(frame["bones"])
        distance, angle = off_by(world[1:1 + count], streamed)
        assert distance < 1.01e-4 and angle < 0.0501, (frame["tick"], distance, angle)
        most = max(most, distance / 1e-4, angle / 0.05)
    assert most > 0.7, "keys are left out as far as the bounds allow"

    (skin,) = shot.json["skins"]
    assert skin["joints"] == list(range(1, 1 + count))
    inverse_binds = shot.accessor(skin["inverseBindMatrices"]).reshape(-1, 4, 4).swapaxes(1, 2)
    moved, wanted = world[1:1 + count] @ inverse_binds, to_matrices(frames[-1]["bones"]) @ inverse_binds
    for mesh in shot.json["meshes"]:
        (primitive,) = mesh["primitives"]
        position, joints, weights = (shot.accessor(primitive["attributes"][name])
                                     for name in ("POSITION", "JOINTS_0", "WEIGHTS_0"))
        assert np.abs(weights.astype(float).sum(1) - 1).max() < 2e-7
        assert shot.accessor(primitive["indices"]).max() < len(position)
        points = np.c_[position, np.ones(len(position))]
        skinned = [np.einsum("vj,vjab,vb->va", weights, matrices[joints], points)[:, :3] for matrices in (moved, wanted)]
        assert np.linalg.norm(skinned[0] - skinned[1], axis=1).max() < 5e-4, mesh["name"]
    assert {mesh["name"] for mesh in shot.json["meshes"]} <= {mesh["name"] for mesh in described["meshes"]}


def test_the_summary_counts_what_is_in_the_file(walk, tmp_path):
    shot, result = walk
    keys = sum(len(times) for times, _ in shot.curves.values())
    samples = 2 * 61 * (1 + len(shot.json["skins"][0]["joints"]))
    vertices = sum(shot.json["accessors"][mesh["primitives"][0]["attributes"]["POSITION"]]["count"]
                   for mesh in shot.json["meshes"])
    assert result.stderr.splitlines()[-1].split(": ", 1)[1].rsplit(", ", 1)[0] == (
        f"1 character, 61 frames of 1/60 s, {len(shot.json['meshes'])} meshes of {vertices} vertices, "
        f"{keys} of {samples} keys")
    assert keys < 0.8 * samples and shot.json["animations"][0]["name"] == "alan"


def test_the_same_scene_gives_the_same_bytes(walk, tmp_path):
    bake(tmp_path / "again.glb", "--seconds", "1", "--threads", "1")
    bake(tmp_path / "twice.glb", "--seconds", "1", "--threads", "3")
    assert (tmp_path / "again.glb").read_bytes() == (tmp_path / "twice.glb").read_bytes()


def test_a_later_shot_begins_in_the_middle_of_a_longer_one(walk, tmp_path):
    late, _ = bake(tmp_path / "late.glb", "--from", "0.5", "--seconds", ".25", "--no-mesh",
                   "--position-error", "0", "--rotation-error", "0")
    assert "meshes" not in late.json and {len(times) for times, _ in late.curves.values()} == {16}
    for frame in (0, 7, 15):
        count = len(late.names)
        distance, angle = off_by(walk[0].world((30 + frame) / 60)[:count], late.world(frame / 60))
        assert distance < 1.01e-4 and angle < 0.0501


def test_several_characters_are_told_apart_and_one_may_come_later(tmp_path):
    (tmp_path / "characters").mkdir()
    (tmp_path / "characters/pole.lua").write_text(POLE)
    (tmp_path / "characters/host.lua").write_text("""local tweed = require "tweed"
local ticks = 0
return tweed.character {
  skeleton = tweed.skeleton { { name = "pole" } },
  on_tick = function(self, dt)
    ticks = ticks + 1
    if ticks == 10 then tweed.spawn { script = "characters/pole", name = "late" } end
  end,
}""")
    scene = tmp_path / "two.lua"
    scene.write_text(SCENE % '{ script = "characters/host", name = "host" }, '
                     '{ script = "characters/pole", name = "guest", position = { 2, 0, 0 } }')
    shot, _ = bake(tmp_path / "two.glb", "--seconds", "1", "--scripts", tmp_path, scene=scene)
    assert shot.names == ["host", "host:pole", "guest", "guest:pole", "late", "late:pole"]
    assert shot.world(0)[3][:3, 3].tolist() == [2, 1, 0]
    shot, _ = bake(tmp_path / "one.glb", "--characters", "g*", "--scripts", tmp_path, scene=scene)
    assert shot.names == ["guest", "pole"] and "animations" not in shot.json


def test_what_cannot_be_baked_is_told_and_leaves_no_file(tmp_path):
    (tmp_path / "characters").mkdir()
    (tmp_path / "characters/pole.lua").write_text(POLE)
    scene = tmp_path / "pole.lua"
    scene.write_text(SCENE % '{ script = "characters/pole", name = "pole" }')

    def fails(*options):
        result = run("bake", scene, "--scripts", tmp_path, "--log-time", "none", *options, cwd=tmp_path)
        return result.returncode, result.stderr
    assert fails("--characters", "[") == (
        2, 'tweed: --characters: expected a pattern in which each [ has its ], found "["\n')
    assert fails("--out", "shot.fbx") == (2, 'tweed: --out: expected a name that ends in .glb, found "shot.fbx"\n')
    assert fails("--characters", "x*") == (1, "error: no character matches --characters: nothing was baked\n")
    assert fails("--out", tmp_path / "no/shot.glb") == (
        4, f"error: cannot write {tmp_path}/no/shot.glb: No such file or directory\n")
    assert fails("--seconds", "-1") == (2, 'tweed: --seconds: expected a number from 0 to 86400, found "-1"\n')
    assert fails("--seconds", "1e3")[1] == 'tweed: --seconds: expected a number from 0 to 86400, found "1e3"\n'
    (tmp_path / "folder.glb").mkdir()
    assert fails("--out", "folder.glb") == (
        4, f"error: cannot write {tmp_path}/folder.glb: expected a file, found a folder\n")
    (tmp_path / "folder.glb").rmdir()
    os.mkfifo(tmp_path / "pipe.glb")
    assert fails("--out", "pipe.glb") == (
        4, f"error: cannot write {tmp_path}/pipe.glb: expected a file, found a device or pipe\n")
    (tmp_path / "pipe.glb").unlink()
    (tmp_path / "characters/wrong.lua").write_text(POLE.replace("character {", "character { on_tick = function() error 'no' end,"))
    scene.write_text(SCENE % '{ script = "characters/wrong", name = "pole" }')
    status, said = fails()
    assert status == 1 and said.endswith("error: a script failed: nothing was baked\n") and ": no" in said
    assert not list(tmp_path.glob("*.glb*"))


def test_a_link_is_followed(tmp_path):
    (tmp_path / "characters").mkdir()
    (tmp_path / "characters/pole.lua").write_text(POLE)
    scene = tmp_path / "pole.lua"
    scene.write_text(SCENE % '{ script = "characters/pole", name = "pole" }')
    (tmp_path / "there.glb").write_bytes(b"an older one")
    (tmp_path / "link.glb").symlink_to("there.glb")
    _, result = bake(tmp_path / "link.glb", "--scripts", tmp_path, scene=scene)
    assert (tmp_path / "link.glb").is_symlink() and (tmp_path / "there.glb").read_bytes()[:4] == b"glTF"
    assert result.stderr == (f"{tmp_path}/there.glb: 1 character, 601 frames of 1/60 s, 0 meshes of 0 vertices, "
                             f"0 of 2404 keys, {(tmp_path / 'there.glb').stat().st_size / 1024:.1f} KiB\n")


def test_characters_of_one_script_share_their_meshes(tmp_path):
    scene = tmp_path / "twins.lua"
    scene.write_text(SCENE % ", ".join(f'{{ script = "characters/wake", name = "{name}" }}' for name in "ab"))
    shot, _ = bake(tmp_path / "twins.glb", "--seconds", "0", scene=scene)
    shown = [node for node in shot.nodes if "mesh" in node]
    assert len(shown) == 2 * len(shot.json["meshes"])
    assert [node["mesh"] for node in shown] == 2 * list(range(len(shot.json["meshes"])))
    assert [node["skin"] for node in shown] == [0] * (len(shown) // 2) + [1] * (len(shown) // 2)


def test_a_signal_ends_it_without_a_file(tmp_path):
    out = tmp_path / "long.glb"
    out.write_bytes(b"an older one")
    baking = subprocess.Popen([BINARY, "bake", WAKE, "--seconds", "86400", "--out", out, "--log-time", "none", *ASSETS],
                              stderr=subprocess.PIPE, text=True)
    time.sleep(3 * PATIENCE)
    baking.send_signal(signal.SIGINT)
    _, said = baking.communicate(timeout=30 * PATIENCE)
    assert out.read_bytes() == b"an older one" and list(tmp_path.iterdir()) == [out]
    if said:  # it was past loading
        assert (baking.returncode, said) == (1, "error: stopped by a signal: nothing was baked\n")


def test_a_baked_shot_is_a_clip_again(walk, tmp_path, start):
    shot, _ = walk
    (tmp_path / "characters").mkdir()
    run("bake", WAKE, "--out", tmp_path / "walk.glb", "--seconds", "1", "--no-mesh", *ASSETS)
    (tmp_path / "characters/again.lua").write_text("""local tweed = require "tweed"
return tweed.character {
  skeleton = tweed.import "walk.glb",
  clips = { shot = tweed.clip { file = "walk.glb" } },
  on_spawn = function(self) self:play("shot", { fade = 0 }) end,
}""")
    scene = tmp_path / "again_scene.lua"
    scene.write_text(SCENE % '{ script = "characters/again", name = "again" }')
    server = start("--scripts", tmp_path, "--assets", tmp_path, scene=scene)
    client = server.client()
    client.subscribe(space="world", precision=7)
    static = client.event("stream.static")
    nodes = [shot.names.index(bone) for bone in static["bones"]]
    for frame in client.step(50)[::7]:
        found, wanted = to_matrices(frame["bones"]), shot.world(frame["tick"] / 60)[nodes]
        wanted[:, 1, 3] += found[0, 1, 3] - wanted[0, 1, 3]  # an imported rig stands on the ground
        distance, angle = off_by(found, wanted)
        assert distance < 1e-5 and angle < 0.01, (frame["tick"], distance, angle)
