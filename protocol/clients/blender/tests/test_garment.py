"""Garments that are made in Blender."""
import sys
from dataclasses import replace

import pytest
from conftest import HERE, STAGE
from harness import run

sys.path.insert(0, str(HERE.parent / "tweed_live_link"))
from garment_files import Bone, Collider, Garment, fault, file_name, lua_text, obj_text  # noqa: E402

NO_TURN = (0, 0, 0, 1)
FLAG = Garment(
    name="flag", fabric="silk", attach='po"le', max_distance=.3, bone_count=6,
    points=[(.1 * column, 2 - .1 * row, 0) for row in range(4) for column in range(4)],
    triangles=[triangle for row in range(3) for column in range(3) for a in (4 * row + column,)
               for triangle in ((a, a + 4, a + 1), (a + 1, a + 4, a + 5))],
    pins=[1 if column == 0 else .5 for row in range(4) for column in range(4)],
    skeleton=[Bone('po"le', None, (0, 1, 0), NO_TURN), Bone("Spitze ü", 'po"le', (0, 1, 0), NO_TURN)],
    colliders=[Collider("ball", 'po"le', (0, .5, 0), NO_TURN, (.1, .2, .1)),
               Collider("rod", 'po"le', (0, 0, 0), NO_TURN, (.02, .02, .02), (0, .4, 0), .01)], color=(.8, .1, .2))


def test_a_garment_made_in_blender_is_worn_and_edited(start, blender, tmp_path):
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    server = start("--scripts", scripts, scene=STAGE)
    print(blender("garment.py", server.address[1], scripts))


def test_the_files_pass_the_check_of_scripts(tmp_path):
    (tmp_path / "flag.obj").write_text(obj_text(FLAG))
    (tmp_path / "flag.lua").write_text(lua_text(FLAG, "flag.obj"))
    check = run("check", tmp_path / "flag.lua")
    assert check.returncode == 0, check.stdout + check.stderr


@pytest.mark.parametrize("change, words", [
    ({"triangles": []}, "no faces"), ({"pins": [.9] * 16}, "no vertex is pinned"), ({"pins": [1] * 16}, "all vertices"),
    ({"attach": "tail"}, 'no bone "tail"'),
    ({"skeleton": [Bone("a*", None, (0, 0, 0), NO_TURN)], "attach": "a*"}, '"a*"')])
def test_faults_are_said(change, words):
    assert fault(FLAG) is None
    assert words in fault(replace(FLAG, **change))


def test_names_of_files():
    assert [file_name(name) for name in ("My Skirt.001", "../x", "Skirt Ä 1", "衣", "")] == [
        "my_skirt_001", "x", "skirt_a_1", "garment", "garment"]
