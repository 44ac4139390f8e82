"""Rigs of another make: whose bone is whose."""
import re
import sys

import pytest
from conftest import HERE, ROOT
from harness import WAKE

sys.path.insert(0, str(HERE.parent / "tweed_live_link"))
import names  # noqa: E402

CONVENTIONS = re.findall(r'\{ name = "(.*?)", sides = \{ "(.*?)", "(.*?)" \},(.*?) \},\n',
                         (ROOT / "scripts/rigs/roles.lua").read_text(), re.DOTALL)


@pytest.mark.parametrize("space", ["upright", "turned"])
def test_a_rig_of_another_make_follows_and_drives(start, blender, space):
    print(blender("map.py", start(scene=WAKE).address[1], space))


@pytest.mark.parametrize("name, left, right, patterns", CONVENTIONS)
@pytest.mark.parametrize("prefix", ["", "mixamorig9:"])
def test_roles_are_those_of_the_scripts(name, left, right, patterns, prefix):
    expected = {}
    for role, pattern in re.findall(r'(\w+) = "(.*?)"', patterns):
        for side, written in (("left", left), ("right", right)) if "%s" in pattern else (("", ""),):
            expected[f"{side}_{role}".strip("_")] = prefix + pattern.replace("%s", written)
    assert len(expected) == 16
    found = names.find_roles(expected.values())
    assert found.items() >= expected.items()


def test_all_conventions_of_the_scripts_were_read():
    assert len(CONVENTIONS) == (ROOT / "scripts/rigs/roles.lua").read_text().count("sides = {")


def test_a_rigify_rig_is_matched_to_a_recording():
    rigify = ["DEF-spine", "DEF-spine.001", "DEF-spine.003", "DEF-spine.006", *[
        f"DEF-{limb}.{side}" for side in "LR" for limb in ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")]]
    recording = ["Hips", "LowerBack", "Spine", "Spine1", "Head", *[
        side + limb for side in ("Left", "Right") for limb in ("Arm", "ForeArm", "Hand", "UpLeg", "Leg", "Foot")]]
    pairs = names.match_bones(rigify, recording)
    assert pairs["DEF-upper_arm.L"] == "LeftArm" and pairs["DEF-shin.R"] == "RightLeg" and pairs["DEF-spine"] == "Hips"
    assert len(set(pairs.values())) == len(pairs) == 16


def test_what_is_no_humanoid_is_matched_by_name_alone():
    assert names.find_roles(["mast", "top", "foot"]) == {}
    assert names.match_bones(["mast", "flag"], ["mast", "top"]) == {"mast": "mast"}
