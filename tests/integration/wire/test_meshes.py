"""Render meshes: what scripts give is what clients get, encoded beside the ticks, and again after a reload."""
import select
import time

import numpy as np
import pytest
from harness import RpcError

FABRIC = """return require("tweed").fabric { name = "wool", material = { color = { %s, .2, .1 }, pattern = "twill" } }
"""
CHARACTER = """local tweed = require "tweed"
local points, shell, weights, triangles = {}, {}, {}, {}
for row = 0, 3 do for column = 0, 2 do
  local point = { .1 * column, 1 - .1 * row, .05 * column * column }
  points[#points + 1] = point
  shell[#shell + 1] = point
  local bone = "cape_" .. math.min(row, 2) .. "_" .. column
  weights[#weights + 1] = row == 0 and { [bone] = 3, root = 1 } or { [bone] = 1 }
  local at = #points
  if row > 0 and column > 0 then triangles[#triangles + 1] = { at, at - 3, at - 4 } end
end end
return tweed.character {
  skeleton = tweed.skeleton { { name = "root", position = { 0, 1, 0 } } },
  meshes = { tweed.mesh {
    name = "pole", weights = "root", uvs = { { 0, 0 }, { .5, 0 }, { 0, 1 } }, triangles = { { 1, 2, 3 } },
    positions = { { 0, 0, 0 }, { 1, 2, 3 }, { 0, %s, 0 } }, normals = { { 0, 0, 2 }, { 0, 3, 0 }, { -1, 0, 0 } },
  } },
  garments = { tweed.cloth {
    name = "cape", fabric = "wool", rows = 4, columns = 3, positions = points, attach = "root",
    meshes = { tweed.mesh { name = "shell", positions = shell, weights = weights, triangles = triangles,
                            material = { roughness = .25 } } },
  } },
  commands = { ask = { run = function()
    return { pcall(tweed.request, "character.describe", { character = "alan", mesh = true }) }
  end } },
}
"""
# A carpet of 250 times 250 vertices, in packed strings.
BIG = """local tweed = require "tweed"
local N, positions, joints, triangles = 250, {}, {}, {}
for i = 0, N * N - 1 do
  positions[i + 1] = string.pack("<fff", i % N * .0371, math.sin(i) * .1, i // N * .0371)
  if i % N < N - 1 and i < N * (N - 1) then triangles[#triangles + 1] = string.pack("<I4I4I4", i + 1, i + N + 1, i + 2) end
end
return tweed.character {
  skeleton = tweed.skeleton { { name = "root" } },
  meshes = { tweed.mesh { name = "carpet", positions = table.concat(positions), triangles = table.concat(triangles),
    weights = { bones = { "root" }, joints = ("\\1\\0\\0\\0\\0\\0\\0\\0"):rep(N * N),
                shares = string.pack("<ffff", 1, 0, 0, 0):rep(N * N) } } },
}
"""


@pytest.fixture
def stage(tmp_path, start):
    (tmp_path / "fabrics").mkdir()
    (tmp_path / "fabrics/wool.lua").write_text(FABRIC % .3)
    (tmp_path / "alan.lua").write_text(CHARACTER % 1)
    return tmp_path, start(scene=tmp_path / "alan.lua")


def rows(numbers, width):
    return np.array(numbers, dtype=np.float64).reshape(-1, width)


def test_meshes_are_what_the_script_gives(stage):
    client = stage[1].client()
    assert "meshes" not in client.request("character.describe", character="alan")
    whole = client.request("character.describe", character="alan", mesh=True)
    pole, shell = whole["meshes"]
    assert pole == {"name": "pole", "positions": [0, 0, 0, 1, 2, 3, 0, 1, 0], "normals": [0, 0, 1, 0, 1, 0, -1, 0, 0],
                    "uvs": [0, 0, 0.5, 0, 0, 1], "triangles": [0, 1, 2], "joints": [0] * 12,
                    "weights": [1, 0, 0, 0] * 3,
                    "material": {"color": [0.5, 0.5, 0.5], "roughness": 0.9, "pattern": "plain"}}
    assert (shell["name"], shell["garment"]) == ("shell", "cape")
    assert shell["material"] == {"color": [0.3, 0.2, 0.1], "roughness": 0.25, "pattern": "twill"}
    assert shell["positions"] == whole["garments"][0]["rest"]
    names = [bone["name"] for bone in whole["bones"]]
    assert [names[joint] for joint in shell["joints"][:2]] == ["cape_0_0", "root"] and shell["weights"][:2] == [.75, .25]
    assert [names[joint] for joint in shell["joints"][36::4]] == ["cape_2_0", "cape_2_1", "cape_2_2"]
    assert np.allclose(np.linalg.norm(rows(shell["normals"], 3), axis=1), 1, atol=1e-6)
    corners = rows(shell["positions"], 3)[np.array(shell["triangles"]).reshape(-1, 3)]
    facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.all(np.einsum("ij,ij->i", facing, rows(shell["normals"], 3)[shell["triangles"][::3]]) > 0)


@pytest.mark.parametrize("axes, image, unit", [("blender", lambda x, y, z: (x, -z, y), 1),
                                               ("unreal", lambda x, y, z: (x, z, y), 100),
                                               ("unity", lambda x, y, z: (-x, y, z), 1)])
def test_meshes_in_other_axes_stay_counter_clockwise(stage, axes, image, unit):
    client = stage[1].client()
    plain = client.request("character.describe", character="alan", mesh=True)["meshes"][1]
    mesh = client.request("character.describe", character="alan", mesh=True, axes=axes)["meshes"][1]
    for key, factor in [("positions", unit), ("normals", 1)]:
        expected = [factor * np.array(image(*row)) for row in rows(plain[key], 3)]
        assert np.allclose(rows(mesh[key], 3), expected, rtol=1e-6, atol=1e-6)
    corners = rows(mesh["positions"], 3)[np.array(mesh["triangles"]).reshape(-1, 3)]
    facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.all(np.einsum("ij,ij->i", facing, rows(mesh["normals"], 3)[mesh["triangles"][::3]]) > 0)


@pytest.mark.parametrize("policy", ["latest", "queue"])
def test_static_data_with_meshes_comes_before_the_first_frame(stage, policy):
    client = stage[1].client()
    whole = client.request("character.describe", character="alan", mesh=True, axes="maya")
    client.subscribe(axes="maya", space="model", mesh=True, policy=policy)
    first, frame = client.next_notification(), client.next_notification()
    assert [first["method"], frame["method"]] == ["stream.static", "stream.frame"]
    assert first["params"]["description"] == whole
    bones = rows(frame["params"]["bones"], 16).reshape(-1, 4, 4).transpose(0, 2, 1)
    inverse = np.array([bone["inverse_bind"] for bone in whole["bones"]]).reshape(-1, 4, 4).transpose(0, 2, 1)
    for mesh in whole["meshes"]:
        points = np.c_[rows(mesh["positions"], 3), np.ones(len(mesh["positions"]) // 3)]
        joints, weights = rows(mesh["joints"], 4).astype(int), rows(mesh["weights"], 4)
        skinned = np.einsum("vj,vjab,vb->va", weights, bones[joints] @ inverse[joints], points)
        assert np.allclose(skinned[:, :3], points[:, :3], atol=1e-2), "at tick 0 the cloth is at its references"
    assert [frame["tick"] for frame in client.step(3)] == [1, 2, 3]


def test_ticks_and_requests_go_on_while_meshes_are_encoded(tmp_path, start):
    (tmp_path / "big.lua").write_text(BIG)
    server = start(scene=tmp_path / "big.lua", paused=False)
    asker, other = server.client(), server.client()
    identifier, begun, ticks = asker.start("character.describe", character="big", mesh=True), time.monotonic(), []
    while not select.select([asker.socket], [], [], 0)[0]:
        ticks.append(other.request("session.ping")["tick"])
    seconds = time.monotonic() - begun
    mesh = asker.finish(identifier, timeout=30)["meshes"][0]
    print(f"62,500 vertices encoded in {1000 * seconds:.0f} ms; {len(ticks)} pings in {ticks[-1] - ticks[0]} ticks meanwhile")
    assert len(mesh["positions"]) == 3 * 250 * 250 and len(mesh["triangles"]) == 3 * 249 * 249
    assert len(ticks) > 2 and ticks[-1] > ticks[0], "the loop serves others, and the simulation goes on"
    assert asker.request("character.describe", character="big", mesh=True, timeout=30)["meshes"][0] == mesh


def test_a_client_may_leave_while_meshes_are_encoded(tmp_path, start):
    (tmp_path / "big.lua").write_text(BIG)
    server = start(scene=tmp_path / "big.lua")
    leaver = server.client()
    leaver.start("character.describe", character="big", mesh=True)
    leaver.close()
    waiting = server.client()
    identifier = waiting.start("character.describe", character="big", mesh=True, axes="unity")
    server.client().request("character.remove", character="big")
    try:
        assert len(waiting.finish(identifier, timeout=30)["meshes"]) == 1
    except RpcError as error:
        assert error.code == -32001
    assert server.stop()[0] == 0


def test_a_reload_brings_new_meshes_and_materials(stage):
    folder, server = stage
    client = server.client()
    client.subscribe(mesh=True)
    assert client.next_notification("stream.static")["params"]["revision"] == 1
    (folder / "alan.lua").write_text(CHARACTER % 7)
    client.request("script.reload", script="alan")
    fresh = client.next_notification("stream.static", timeout=10)["params"]
    assert fresh["revision"] == 2 and fresh["description"]["meshes"][0]["positions"][7] == 7
    (folder / "fabrics/wool.lua").write_text(FABRIC % .6)
    client.request("script.reload", script="fabrics/wool")
    client.step(15)  # the revision is raised five times a second at most
    fresh = client.next_notification("stream.static", timeout=10)["params"]
    assert fresh["revision"] == 3
    assert [mesh["material"]["color"][0] for mesh in fresh["description"]["meshes"]] == [.5, .6]


def test_scripts_get_no_meshes(stage):
    done, message = stage[1].client().request("character.call", character="alan", command="ask")["result"]
    assert not done
    assert message.endswith("character.describe: params.mesh: meshes are for connections, not for scripts")
