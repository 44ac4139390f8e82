"""Cloth out of meshes: the same garment comes back from every format, whatever the order of its vertices."""
import base64
import json
import math
import random
import struct

import numpy as np
import pytest
from geometry import Recorder

ROWS, COLUMNS = 8, 16


def grid(row, column):
    angle, radius = 2 * math.pi * column / COLUMNS, .15 + .015 * row
    return -radius * math.sin(angle), 1 - .06 * row, -radius * math.cos(angle)


POINTS = [grid(row, column) for row in range(ROWS) for column in range(COLUMNS)]


def soup():
    """Positions and triangles of the skirt: each quad cut at random, each triangle with vertices of its own."""
    chance = random.Random(7)
    triangles = []
    for row in range(ROWS - 1):
        for column in range(COLUMNS):
            right = (column + 1) % COLUMNS
            top, bottom = row * COLUMNS, (row + 1) * COLUMNS
            corners, cut = (bottom + column, bottom + right, top + right, top + column), chance.randrange(2)
            triangles += [tuple(corners[(cut + 2 * half + k) % 4] for k in range(3)) for half in (0, 1)]
    chance.shuffle(triangles)
    positions = [POINTS[corner] for triangle in triangles for corner in triangle]
    return positions, [(i, i + 1, i + 2) for i in range(0, len(positions), 3)]


def numbers(rows, form="%.6f", between=" "):
    return between.join(form % number for row in rows for number in row)


def obj(path):
    positions, triangles = soup()
    path.write_text("o skirt\n" + "".join("v %.6f %.6f %.6f\n" % point for point in positions) +
                    "".join("f %d %d %d\n" % tuple(i + 1 for i in triangle) for triangle in triangles))


def gltf(path):
    positions, triangles = soup()
    data = struct.pack(f"<{3 * len(positions)}f", *sum(positions, ())) + struct.pack(
        f"<{3 * len(triangles)}I", *sum(triangles, ()))
    path.write_text(json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "name": "skirt"}],
        "meshes": [{"name": "skirt", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": len(data),
                     "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
        "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 12 * len(positions)},
                        {"buffer": 0, "byteOffset": 12 * len(positions), "byteLength": 12 * len(triangles)}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": len(positions), "type": "VEC3",
                       "min": np.min(positions, 0).tolist(), "max": np.max(positions, 0).tolist()},
                      {"bufferView": 1, "componentType": 5125, "count": 3 * len(triangles), "type": "SCALAR"}],
    }))


def collada(path):
    """Z up and in centimetres, which the file says."""
    positions, triangles = soup()
    turned = [(100 * x, -100 * z, 100 * y) for x, y, z in positions]
    path.write_text(f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.01" name="centimeter"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="skirt" name="skirt"><mesh>
<source id="at"><float_array id="values" count="{3 * len(turned)}">{numbers(turned)}</float_array>
<technique_common><accessor source="#values" count="{len(turned)}" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="corners"><input semantic="POSITION" source="#at"/></vertices>
<triangles count="{len(triangles)}"><input semantic="VERTEX" source="#corners" offset="0"/>
<p>{numbers(triangles, "%d")}</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="scene"><node id="n" name="skirt"><instance_geometry url="#skirt"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#scene"/></scene></COLLADA>""")


def fbx(path):
    """In centimetres, which import_mesh has to be told."""
    positions, triangles = soup()
    points = numbers([[100 * x for x in point] for point in positions], between=",")
    indices = numbers([(a, b, -c - 1) for a, b, c in triangles], "%d", ",")
    path.write_text(f"""; FBX 7.4.0 project file
FBXHeaderExtension:  {{
	FBXVersion: 7400
}}
Objects:  {{
	Geometry: 100, "Geometry::skirt", "Mesh" {{
		Vertices: *{3 * len(positions)} {{
			a: {points}
		}}
		PolygonVertexIndex: *{3 * len(triangles)} {{
			a: {indices}
		}}
		GeometryVersion: 124
	}}
	Model: 200, "Model::skirt", "Mesh" {{
		Version: 232
	}}
}}
Connections:  {{
	C: "OO",200,0
	C: "OO",100,200
}}
""")


def x_file(path):
    """Left-handed, so that z and the winding are turned round."""
    positions, triangles = soup()
    points = ",\n".join("%.6f;%.6f;%.6f;" % (x, y, -z) for x, y, z in positions)
    faces = ",\n".join("3;%d,%d,%d;" % (a, c, b) for a, b, c in triangles)
    path.write_text(f"xof 0303txt 0032\nMesh skirt {{\n{len(positions)};\n{points};\n{len(triangles)};\n{faces};\n}}\n")


FORMATS = {"obj": (obj, 1), "gltf": (gltf, 1), "dae": (collada, 1), "fbx": (fbx, .01), "x": (x_file, 1)}

SCRIPT = """local tweed = require "tweed"
local points = {}
for row = 0, %d do
  for column = 0, %d do
    local angle, radius = 2 * math.pi * column / %d, .15 + .015 * row
    points[#points + 1] = { -radius * math.sin(angle), 1 - .06 * row, -radius * math.cos(angle) }
  end
end
local function skirt(options)
  options.fabric, options.attach, options.meshes = "silk", "hips", {}
  return tweed.cloth(options)
end
return tweed.character {
  skeleton = tweed.skeleton { { name = "hips", position = { 0, 1, 0 } } },
  garments = {
    skirt { name = "grid", rows = %d, columns = %d, closed = true, positions = points },
    %s
  },
}
"""


@pytest.fixture
def skirts(start, tmp_path):
    for ending, (write, _) in FORMATS.items():
        write(tmp_path / f"skirt.{ending}")
    meshes = "\n    ".join(f'skirt {{ name = "{ending}", mesh = tweed.import_mesh {{ file = "skirt.{ending}", '
                           f'scale = {scale} }} }},' for ending, (_, scale) in FORMATS.items())
    scene = tmp_path / "skirts.lua"
    scene.write_text(SCRIPT % (ROWS - 1, COLUMNS - 1, COLUMNS, ROWS, COLUMNS, meshes))
    return start(scene=scene).client()


def test_the_same_garment_comes_back_from_every_format(skirts):
    (name,) = [character["name"] for character in skirts.request("character.list")]
    garments = skirts.request("character.describe", character=name)["garments"]
    assert [garment["name"] for garment in garments] == ["grid", *FORMATS]
    for garment in garments:
        assert (garment["rows"], garment["columns"], garment["closed"]) == (ROWS, COLUMNS, True), garment["name"]
        off = np.abs(np.array(garment["rest"]).reshape(-1, 3) - POINTS).max()
        assert off < 2e-6, (garment["name"], off)
        assert garment["pinned"] == list(range(COLUMNS))
        assert garment["triangles"] == garments[0]["triangles"]


BOUND = """local tweed = require "tweed"
local skirt = tweed.cloth { name = "skirt", fabric = "silk", attach = "hips", mesh = tweed.import_mesh "skirt.obj" }
skirt.meshes = {
  tweed.bind_mesh { name = "own", cloth = skirt, mesh = tweed.import_mesh "skirt.gltf" },
  tweed.bind_mesh { name = "fine", cloth = skirt, mesh = tweed.import_mesh "fine.obj",
                    material = { pattern = "satin" } },
}
return tweed.character {
  skeleton = tweed.skeleton { { name = "hips", position = { 0, 1, 0 } } },
  garments = { skirt },
  clips = { sway = tweed.clip { duration = 2, sample = function(t)
    return { hips = { rotation = tweed.quaternion.axis_angle({ 0, 1, 0 }, math.sin(math.pi * t)) },
             root = { x = .2 * math.sin(math.pi * t), z = 0, heading = 0 } }
  end } },
  on_spawn = function(self) self:play("sway", { loop = true }) end,
}
"""
FINE = 72  # rows and columns


FINE_POINTS = [grid((ROWS - 1) * row / (FINE - 1), COLUMNS * column / FINE)
               for row in range(FINE) for column in range(FINE)]


def fine_obj(path):
    faces = [[row * FINE + column + 1, row * FINE + (column + 1) % FINE + 1, (row + 1) * FINE + (column + 1) % FINE + 1,
              (row + 1) * FINE + column + 1] for row in range(FINE - 1) for column in range(FINE)]
    path.write_text("".join("v %.6f %.6f %.6f\n" % point for point in FINE_POINTS) +
                    "".join("f %d %d %d %d\n" % tuple(face) for face in faces))


def flat(points):
    """The fine mesh's vertices on the flat cells between particles."""
    points = points.reshape(ROWS, COLUMNS, 3)
    row, column = (ROWS - 1) * np.arange(FINE) / (FINE - 1), COLUMNS * np.arange(FINE) / FINE
    above, left = np.minimum(row.astype(int), ROWS - 2), column.astype(int)
    down, across = (row - above)[:, None, None], (column - left)[None, :, None]
    right = (left + 1) % COLUMNS
    return sum(points[np.ix_(rows, columns)] * across_share * down_share
               for rows, down_share in ((above, 1 - down), (above + 1, down))
               for columns, across_share in ((left, 1 - across), (right, across))).reshape(-1, 3)


def skin(mesh, bones, inverse):
    points = np.c_[np.array(mesh["positions"]).reshape(-1, 3), np.ones(len(mesh["positions"]) // 3)]
    joints = np.array(mesh["joints"]).reshape(-1, 4)
    weights = np.array(mesh["weights"]).reshape(-1, 4)
    matrices = (bones @ inverse)[joints]
    return np.einsum("vk,vkij,vj->vi", weights, matrices, points)[:, :3]


def test_a_fine_mesh_follows_the_bones_of_the_skirt(start, tmp_path):
    obj(tmp_path / "skirt.obj")
    gltf(tmp_path / "skirt.gltf")
    fine_obj(tmp_path / "fine.obj")
    (tmp_path / "dancer.lua").write_text(BOUND)
    client = start(scene=tmp_path / "dancer.lua").client()
    (name,) = [character["name"] for character in client.request("character.list")]
    whole = client.request("character.describe", character=name, mesh=True)
    own, fine = whole["meshes"]
    assert (own["name"], fine["name"], fine["garment"]) == ("own", "fine", "skirt")
    assert fine["material"]["pattern"] == "satin" and len(fine["positions"]) == 3 * FINE * FINE
    rest = np.array([bone["rest"] for bone in whole["bones"]]).reshape(-1, 4, 4).transpose(0, 2, 1)
    inverse = np.array([bone["inverse_bind"] for bone in whole["bones"]]).reshape(-1, 4, 4).transpose(0, 2, 1)
    places = np.array(own["positions"]).reshape(-1, 3)
    particle_of = np.linalg.norm(places[:, None] - np.array(POINTS)[None], axis=2).argmin(axis=1)
    assert set(particle_of) == set(range(ROWS * COLUMNS))
    assert np.abs(skin(own, rest, inverse) - np.array(POINTS)[particle_of]).max() < 1e-5
    take = Recorder(client, name).record(90)
    particles = take.particles["skirt"]
    assert np.linalg.norm(particles[-1, -1] - POINTS[-1]) > .05, "it swings"
    on_particles = [np.linalg.norm(skin(own, bones, inverse) - cloth[particle_of], axis=1).max()
                    for bones, cloth in zip(take.bones, particles)]
    assert max(on_particles) < 2e-5, "between its two bones a particle is where both have it"
    order = [np.square(np.array(FINE_POINTS) - place).sum(axis=1).argmin()
             for place in np.array(fine["positions"]).reshape(-1, 3)]
    between = [np.linalg.norm(skin(fine, bones, inverse) - flat(cloth)[order], axis=1)
               for bones, cloth in zip(take.bones[::10], particles[::10])]
    assert np.max(between) < .015, "the cells are flat, and the mesh is 5 mm out of them at rest"


DIVIDED = """local tweed = require "tweed"
local fine = tweed.import_mesh { file = "skirt.obj", paint = function(vertex)
  return { max_distance = 1 - vertex.position[2] } -- 0 at the waist
end }
local skirt = tweed.cloth { name = "skirt", fabric = "silk", attach = "hips", mesh = fine, rows = 5, columns = 24 }
skirt.meshes = { tweed.bind_mesh { name = "fine", cloth = skirt, mesh = fine } }
return tweed.character { skeleton = tweed.skeleton { { name = "hips", position = { 0, 1, 0 } } }, garments = { skirt } }
"""


def test_any_mesh_is_divided_and_follows_its_own_cloth(start, tmp_path):
    obj(tmp_path / "skirt.obj")
    (tmp_path / "dancer.lua").write_text(DIVIDED)
    client = start(scene=tmp_path / "dancer.lua").client()
    (name,) = [character["name"] for character in client.request("character.list")]
    whole = client.request("character.describe", character=name, mesh=True)
    (garment,), (fine,) = whole["garments"], whole["meshes"]
    assert (garment["rows"], garment["columns"], garment["closed"]) == (5, 24, True)
    rest = np.array(garment["rest"]).reshape(5, 24, 3)
    assert np.allclose(rest[:, :, 1], np.linspace(1, 1 - .06 * (ROWS - 1), 5)[:, None], atol=.003), "even rows"
    turns = np.unwrap(np.arctan2(-rest[:, :, 0], -rest[:, :, 2]), axis=1)
    assert np.allclose(turns, 2 * np.pi * np.arange(24) / 24, atol=.04), "even columns, from the back on"
    most = np.array(garment["max_distance"]).reshape(5, 24)
    assert np.allclose(most[1:4], 1 - rest[1:4, :, 1], atol=.06), "that of the nearest vertex"
    places = np.array(fine["positions"]).reshape(-1, 3)
    assert np.linalg.norm(places[:, None] - np.array(POINTS)[None], axis=2).min(axis=1).max() < 1e-5


PAINTED = """local tweed = require "tweed"
local apron = tweed.import_mesh { file = "apron.obj", paint = function(vertex)
  assert(vertex.object == "apron" and #vertex.uv == 2)
  return { pin = vertex.material == "waist", max_distance = vertex.color[1] * .5 }
end }
return tweed.character {
  skeleton = tweed.skeleton { { name = "hips", position = { 0, 1, 0 } } },
  garments = { tweed.cloth { name = "apron", fabric = "silk", mesh = apron, attach = "hips", colliders = {} } },
}
"""


def test_painted_pins_and_distances(start, tmp_path):
    """The side that is painted is on top, although it is lowest; what hangs over it is held near."""
    rows, columns = 5, 4
    points = [(.1 * column, .6 + .1 * row, .2 + .05 * row) for row in range(rows) for column in range(columns)]
    lines = ["mtllib apron.mtl", "o apron"]
    lines += ["v %.2f %.2f %.2f %.2f 0.0 0.0" % (*point, .1 * (i // columns)) for i, point in enumerate(points)]
    for row in range(rows - 1):
        lines.append(f"usemtl {'cloth' if row else 'waist'}")
        for left in range(row * columns + 1, (row + 1) * columns):
            lines.append("f %d %d %d %d" % (left, left + 1, left + columns + 1, left + columns))
    (tmp_path / "apron.obj").write_text("\n".join(lines) + "\n")
    (tmp_path / "apron.mtl").write_text("newmtl waist\nKd 1 0 0\nnewmtl cloth\nKd 0 1 0\n")
    (tmp_path / "apron.lua").write_text(PAINTED)
    client = start(scene=tmp_path / "apron.lua").client()
    (name,) = [character["name"] for character in client.request("character.list")]
    (garment,) = client.request("character.describe", character=name)["garments"]
    assert (garment["rows"], garment["columns"]) == (rows, columns)
    rest = np.array(garment["rest"]).reshape(rows, columns, 3)
    assert np.allclose(rest[:, 0, 1], [.6, .7, .8, .9, 1]) and rest[0, 0, 0] > rest[0, 1, 0], "z points outward"
    assert garment["pinned"] == list(range(2 * columns))
    take = Recorder(client, name).record(120)
    off = np.linalg.norm(take.particles["apron"] - rest.reshape(-1, 3), axis=2).reshape(-1, rows, columns)
    assert off[:, :2].max() < 1e-6
    most = np.array(garment["max_distance"]).reshape(rows, columns)
    assert np.allclose(most[2:4, 1:3], np.array([[.1], [.15]])), "between the edges"
    assert off[:, 2:].max() > .1 and (off[:, 2:] < most[2:] + 1e-5).all(), "it falls, as far as it is painted"


BORDERED = """local tweed = require "tweed"
local function skirt(file, rows, columns)
  return tweed.cloth {
    name = file .. (rows or ""), fabric = "silk", attach = "hips", rows = rows, columns = columns, meshes = {},
    mesh = tweed.import_mesh { file = file .. ".obj", paint = function(vertex)
      local hem = vertex.material == "hem"
      return { fabric = hem and "leather" or "denim", thickness = hem and .02 or .004,
               max_distance = (hem and .6 or .3) - .1 * vertex.position[3] }
    end },
  }
end
return tweed.character {
  skeleton = tweed.skeleton { { name = "hips", position = { 0, 1, 0 } } },
  garments = { skirt "ordered", skirt "shuffled", skirt("ordered", 8, 12), skirt("shuffled", 8, 12),
               skirt("ordered", 15, 16), skirt("shuffled", 15, 16) },
  clips = { turn = tweed.clip { duration = 2, sample = function(t)
    return { root = { x = 0, z = 0, heading = 2 * math.sin(math.pi * t) } }
  end } },
  on_spawn = function(self) self:play("turn", { loop = true }) end,
}
"""


def bordered(path, chance):
    """The skirt, its last three rows of quads of another material. chance: shuffles vertices and triangles."""
    triangles = []
    for row in range(ROWS - 1):
        for column in range(COLUMNS):
            right, top, bottom = (column + 1) % COLUMNS, row * COLUMNS, (row + 1) * COLUMNS
            a, b, c, d = bottom + column, bottom + right, top + right, top + column
            triangles += [("hem" if row >= 4 else "body", half) for half in ((a, b, c), (a, c, d))]
    order = list(range(len(POINTS)))
    if chance:
        chance.shuffle(order)
        chance.shuffle(triangles)
    at = {point: index for index, point in enumerate(order)}
    path.write_text("mtllib skirt.mtl\n" + "".join("v %.6f %.6f %.6f\n" % POINTS[point] for point in order) +
                    "".join("usemtl %s\nf %d %d %d\n" % (material, *(at[corner] + 1 for corner in half))
                            for material, half in triangles))


def test_regions_end_at_the_same_row_in_any_order_of_vertices(start, tmp_path):
    (tmp_path / "skirt.mtl").write_text("newmtl body\nKd 1 0 0\nnewmtl hem\nKd 0 1 0\n")
    bordered(tmp_path / "ordered.obj", None)
    bordered(tmp_path / "shuffled.obj", random.Random(11))
    (tmp_path / "skirt.lua").write_text(BORDERED)
    client = start(scene=tmp_path / "skirt.lua").client()
    (name,) = [character["name"] for character in client.request("character.list")]
    garments = {garment["name"]: garment for garment in client.request("character.describe", character=name)["garments"]}
    take = Recorder(client, name).record(90)
    for rows, columns in ("", 16), (8, 12), (15, 16):
        ordered, shuffled = f"ordered{rows}", f"shuffled{rows}"
        assert garments[ordered]["rest"] == garments[shuffled]["rest"]
        assert garments[ordered]["max_distance"] == garments[shuffled]["max_distance"]
        assert np.array_equal(take.particles[ordered], take.particles[shuffled]), "fabric and thickness, too"
        rest = np.array(garments[ordered]["rest"]).reshape(-1, columns, 3)
        painted = np.array(garments[ordered]["max_distance"]).reshape(-1, columns) + .1 * rest[..., 2]
        assert np.allclose(painted[rest[..., 1] > .755], .3, atol=1e-3), "above the border and on it"
        assert np.allclose(painted[rest[..., 1] < .705], .6, atol=1e-3), "below it"
    finest = np.array(garments["ordered15"]["max_distance"]).reshape(15, 16)
    assert np.abs(np.diff(finest[:5, :9], axis=1)).max() < .011, "interpolated between vertices"
