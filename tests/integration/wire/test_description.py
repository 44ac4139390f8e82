"""character.describe: the static data, its shapes and what must be true of it."""
import numpy as np
import pytest
from geometry import matrices_of


@pytest.fixture
def alan(guest):
    return guest.request("character.describe", character="alan")


def test_the_whole_has_the_fields_of_the_page(alan):
    assert set(alan) == {"name", "script", "revision", "bones", "garments", "colliders", "clips", "commands"}
    assert (alan["name"], alan["script"]) == ("alan", "characters/wake")


def test_bones_come_parents_first_with_rigid_rest_matrices(alan):
    bones = alan["bones"]
    names = [bone["name"] for bone in bones]
    assert len(set(names)) == len(names)
    for index, bone in enumerate(bones):
        assert set(bone) == {"name", "parent", "kind", "rest", "inverse_bind"}
        assert -1 <= bone["parent"] < index
        assert len(bone["rest"]) == len(bone["inverse_bind"]) == 16
    rest = matrices_of(bones, "rest")
    assert np.allclose(rest[:, 3], [0, 0, 0, 1])
    assert np.allclose(rest[:, :3, :3] @ rest[:, :3, :3].transpose(0, 2, 1), np.eye(3), atol=1e-5)
    assert np.allclose(np.linalg.det(rest[:, :3, :3]), 1, atol=1e-5)
    bind = np.linalg.inv(matrices_of(bones, "inverse_bind"))
    assert np.all(np.isfinite(bind))


def test_the_rig_has_every_kind_that_the_jacket_system_needs(alan):
    kinds = {bone["kind"] for bone in alan["bones"]}
    assert {"skeleton", "driven", "cloth", "pendulum"} <= kinds <= {"skeleton", "driven", "cloth", "pendulum", "chain"}


def test_the_human_stands_upright_in_metres_facing_forward(alan):
    bones = {bone["name"]: np.array(bone["rest"][12:15]) for bone in alan["bones"] if bone["kind"] == "skeleton"}
    heights = [position[1] for position in bones.values()]
    assert 1.4 < max(heights) < 2.1 and -0.1 < min(heights) < 0.2
    left = next(position for name, position in bones.items() if "left" in name.lower() and "arm" in name.lower())
    assert left[0] > 0.1, "facing +Z with +Y up, the left arm lies towards +X"


def test_the_jacket_is_an_open_grid_with_a_vent_in_the_back(alan):
    jacket = next(garment for garment in alan["garments"] if garment["name"] == "jacket")
    assert set(jacket) >= {"name", "solver", "fabric", "rows", "columns", "closed", "rest", "max_distance", "pinned",
                           "bones", "colliders", "triangles"}
    assert (jacket["rows"], jacket["columns"], jacket["closed"]) == (9, 26, False)
    assert (jacket["solver"], jacket["fabric"]) == ("verlet", "tweed")
    assert len(jacket["rest"]) == 3 * 234 and len(jacket["max_distance"]) == 234
    assert jacket["pinned"] == list(range(26)), "the top row is skinned"
    assert len(jacket["triangles"]) == 3 * 2 * (25 * 8 - 4), "there is no cloth in the vent"
    assert set(jacket["triangles"]) == set(range(234))
    assert all(0 <= collider < len(alan["colliders"]) for collider in jacket["colliders"]) and jacket["colliders"]


def test_the_jacket_hangs_round_the_body_open_in_front(alan):
    jacket = next(garment for garment in alan["garments"] if garment["name"] == "jacket")
    rest = np.array(jacket["rest"]).reshape(9, 26, 3)
    assert np.all(np.diff(rest[:, :, 1], axis=0) < 0), "row 0 is on top"
    hem = rest[-1]
    centre = hem.mean(axis=0)
    assert hem[0, 2] > centre[2] and hem[-1, 2] > centre[2], "both edges are in front"
    assert hem[12, 2] < centre[2], "the middle column is at the back"
    outward = np.cross(np.diff(rest, axis=0)[:, 1:-1], (rest[:, 2:] - rest[:, :-2])[:-1])
    away = (rest - rest.mean(axis=1, keepdims=True))[:-1, 1:-1]
    assert np.all(np.sum(outward * away, axis=2) > 0), "x down, y towards the higher column: z points away"


def test_every_particle_of_all_rows_but_the_last_has_a_bone(alan):
    jacket = next(garment for garment in alan["garments"] if garment["name"] == "jacket")
    particles = {particle for particle, _ in jacket["bones"]}
    assert particles == {row * 26 + column for row in range(8) for column in range(26)}
    for particle, bone in jacket["bones"]:
        assert alan["bones"][bone]["kind"] == "cloth"
        position = np.array(jacket["rest"][3 * particle:3 * particle + 3])
        pivot = np.array(alan["bones"][bone]["rest"][12:15])
        assert np.linalg.norm(position - pivot) < 1e-5, "the pivot is the particle"


FRINGE = """local tweed = require "tweed"
return tweed.character {
  skeleton = tweed.skeleton { { name = "pole" } },
  garments = {
    tweed.chain { name = "rope", bone = "pole", fabric = "cotton", bones = { last_row = "follow" },
      points = { { 0, 2, .1 }, { 0, 1.9, .1 }, { 0, 1.8, .15 } } },
    tweed.chain { name = "cord", bone = "pole", fabric = "cotton", bones = { last_row = "none" },
      points = { { 0, 2, .3 }, { 0, 1.9, .3 }, { 0, 1.8, .3 } } },
  },
}
"""


def test_bones_on_the_last_row_go_on_the_way_of_the_link_above(start, tmp_path):
    (tmp_path / "characters").mkdir()
    (tmp_path / "characters/fringe.lua").write_text(FRINGE)
    (tmp_path / "scene.lua").write_text("""local tweed = require "tweed"
return tweed.scene { wind = tweed.wind { velocity = { 6, 0, 2 } }, spawn = { { script = "characters/fringe" } } }
""")
    client = start(scene=tmp_path / "scene.lua").client()
    described = client.request("character.describe", character="fringe")
    bones = {garment["name"]: garment["bones"] for garment in described["garments"]}
    assert [particle for particle, _ in bones["rope"]] == [0, 1, 2] and len(bones["cord"]) == 2
    names = [described["bones"][bone]["name"] for _, bone in bones["rope"]]
    assert names == ["rope_0_0", "rope_1_0", "rope_2_0"]
    assert described["bones"][bones["rope"][2][1]]["parent"] == bones["rope"][1][1]
    client.subscribe(particles=True, space="model", precision=7)
    for frame in client.step(60):
        points = np.array(frame["particles"]["rope"]).reshape(-1, 3)
        matrix = np.array(frame["bones"][bones["rope"][2][1]]).reshape(4, 4).T
        link = points[2] - points[1]
        assert np.allclose(matrix[:3, 3], points[2], atol=2e-7)
        assert np.allclose(matrix[:3, 0], link / np.linalg.norm(link), atol=1e-5)


def test_max_distance_grows_from_the_top_to_the_hem(alan):
    jacket = next(garment for garment in alan["garments"] if garment["name"] == "jacket")
    distance = np.array(jacket["max_distance"]).reshape(9, 26)
    assert np.all(distance[0] == 0)
    assert np.all(np.diff(distance, axis=0) > 0)
    assert distance[4, 8] == pytest.approx(0.2, abs=0.05), "half of 0.40 m half-way down"
    assert np.all(distance[1:-1, [0, -1]] > distance[1:-1, [8]]), "edges are given more"
    assert distance[-2, 8] < distance[-1, 8] <= distance[-1, 0], "the hem is an edge too"


def test_the_hood_is_a_pendulum(alan):
    hood = next(garment for garment in alan["garments"] if garment["name"] == "hood")
    assert (hood["rows"], hood["columns"], len(hood["rest"])) == (2, 1, 6)
    assert len(hood["bones"]) == 1
    assert alan["bones"][hood["bones"][0][1]]["kind"] == "pendulum"


def test_colliders_have_the_shapes_of_the_page(alan):
    names = {bone["name"] for bone in alan["bones"]}
    fields = {"ellipsoid": {"bone", "center", "rotation", "radii"}, "sphere": {"bone", "center", "radius"},
              "capsule": {"bone", "from", "to", "radius", "radius_end"}, "plane": {"normal", "offset"}}
    for collider in alan["colliders"]:
        assert set(collider) == {"name", "shape"} | fields[collider["shape"]], collider
        assert collider["shape"] == "plane" or collider["bone"] in names
    assert sum(collider["shape"] == "ellipsoid" for collider in alan["colliders"]) >= 4


def test_clips_and_commands_are_those_of_the_scene(alan):
    clips = {clip["name"]: clip["duration"] for clip in alan["clips"]}
    assert {"jump", "walk", "dodge", "stand"} <= set(clips)
    assert all(duration > 0 for duration in clips.values())
    commands = {command["name"]: command["help"] for command in alan["commands"]}
    assert {"jump", "walk", "dodge", "stand"} <= set(commands)
    assert all(commands[name] for name in ("jump", "walk", "dodge", "stand"))


def test_floats_are_the_shortest_that_give_back_the_same_float32(guest):
    identifier = guest.start("character.describe", character="alan")
    line = guest.read_line()
    assert f'"id":{identifier}'.encode() in line.replace(b" ", b"")
    start = line.index(b'"rest":[') + 8
    for text in line[start:line.index(b"]", start)].split(b","):
        value = np.float32(text)
        shortest = np.format_float_positional(value, unique=True, trim="-").encode()
        assert len(text.strip().lstrip(b"-")) <= len(shortest.lstrip(b"-")), (text, shortest)


def test_an_unknown_character_is_not_found(guest):
    error = guest.error("character.describe", character="barry")
    assert (error.code, error.path) == (-32001, "params.character")
    assert "barry" in error.message
