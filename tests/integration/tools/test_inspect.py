"""`tweed inspect`: what is in a file, word for word, and what tweed does with it."""
import json
import math
import os

import pytest
from harness import run

LIMBS = {"Arm": ("Spine", 30), "ForeArm": ("Arm", 30), "Hand": ("ForeArm", 25),
         "UpLeg": ("Hips", -5), "Leg": ("UpLeg", -40), "Foot": ("Leg", -40), "ToeBase": ("Foot", -5)}


def bvh(path, hips="Hips"):
    """A humanoid in centimetres after Mixamo, at rest for three frames while its hips go forwards."""
    bones = {hips: (None, (0, 90, 0)), "Spine": (hips, (0, 40, 0)), "Head": ("Spine", (0, 30, 0))}
    for side, sign in (("Left", 1), ("Right", -1)):
        for limb, (parent, length) in LIMBS.items():
            above = {"Spine": "Spine", "Hips": hips}.get(parent, side + parent)
            offset = (sign * length, 0, 0) if length > 0 else (sign * 10 if parent == "Hips" else 0, length, 0)
            bones[side + limb] = (above, offset)

    def joint(name):
        children = "".join(joint(child) for child, (parent, _) in bones.items() if parent == name)
        kind = "ROOT" if bones[name][0] is None else "JOINT"
        channels = "6 Xposition Yposition Zposition" if kind == "ROOT" else "3"
        return (f"{kind} {name}\n{{\nOFFSET {'%g %g %g' % bones[name][1]}\nCHANNELS {channels} Zrotation Xrotation "
                f"Yrotation\n{children or 'End Site { OFFSET 0 0 10 }'}\n}}\n")

    rows = "".join(f"0 90 {10 * frame} " + "0 " * 3 * len(bones) + "\n" for frame in range(3))
    path.write_text(f"HIERARCHY\n{joint(hips)}MOTION\nFrames: 3\nFrame Time: .05\n{rows}")
    return path


def box(path, size):
    corners = [[x, y, z] for x in (0, size) for y in (0, 1.5 * size) for z in (0, size)]
    faces = ["1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4"]
    path.write_text("o crate\n" + "".join("v %g %g %g\n" % tuple(corner) for corner in corners) +
                    "".join(f"f {face}\n" for face in faces))
    return path


def outcome(*arguments):
    result = run("inspect", *arguments)
    return result.returncode, result.stdout, result.stderr


def test_a_humanoid_and_its_motion(tmp_path):
    path = bvh(tmp_path / "man.bvh")
    assert outcome(path) == (0, f"""file     {path}
format   BVH
unit     the file does not say
up       +Y
bones    17, 1.60 m high at rest
         Hips: hips
           Spine: chest, left_shoulder, right_shoulder, spine
             Head: head, neck
             LeftArm: left_upper_arm
               LeftForeArm: left_lower_arm
                 LeftHand: left_hand
             RightArm: right_upper_arm
               RightForeArm: right_lower_arm
                 RightHand: right_hand
           LeftUpLeg: left_upper_leg
             LeftLeg: left_lower_leg
               LeftFoot: left_foot
                 LeftToeBase: left_toes
           RightUpLeg: right_upper_leg
             RightLeg: right_lower_leg
               RightFoot: right_foot
                 RightToeBase: right_toes
clips    Motion: 0.1 s, 3 frames at 20 a second
meshes   none
tweed    tweed.import "{path}" reads its bones, with 0.01 m for a unit, guessed from the height at rest; give scale if it is wrong
         rigs.humanoid {{ file = "{path}" }} dresses it: all roles are found
         tweed.clip {{ file = "{path}" }} plays its first clip, clip = "NAME" another
""", "")


def test_what_rigs_humanoid_does_not_know(tmp_path):
    status, text, errors = outcome("--json", bvh(tmp_path / "man.bvh", hips="Middle"))
    assert (status, errors) == (0, "")
    found = json.loads(text)
    assert not found["humanoid"] and not any("role" in bone for bone in found["bones"])
    assert "it lacks hips (Hips)" in found["notes"][1]


def test_json_has_what_people_read(tmp_path):
    path = bvh(tmp_path / "man.bvh")
    status, text, errors = outcome(path, "--json")
    assert (status, errors, text.count("\n")) == (0, "", 1)
    found = json.loads(text)
    assert found["file"] == str(path) and (found["format"], found["up"], found["scale"]) == ("BVH", "y", .01)
    assert found["humanoid"] is True and found["meshes"] == [] and "unit" not in found
    assert found["bones"][0] == {"name": "Hips", "role": "hips"}
    assert found["bones"][4] == {"name": "LeftForeArm", "parent": "LeftArm", "role": "left_lower_arm"}
    assert found["clips"] == [{"name": "Motion", "rate": 20, "frames": 3, "from": 0, "to": .1, "moves_root": True}]
    assert len(found["notes"]) == 3


@pytest.mark.parametrize("size, advice", [
    (.4, ""),
    (40, "its longest side is 60 m, so its unit is not the metre: scale = 0.01 makes it 0.6 m"),
    (400, "its longest side is 600 m, so its unit is not the metre: scale = 0.001 makes it 0.6 m"),
])
def test_a_mesh_and_its_size(tmp_path, size, advice):
    path = box(tmp_path / "crate.obj", size)
    reason = (f"expected metres, found a longest side of {1.5 * size:g}: a scale of {.4 / size:g} would make it 0.6 m"
              if advice else "expected an open edge to attach, found a closed surface")
    assert outcome("crate.obj", "--assets", tmp_path) == (0, f"""file     {path}
format   OBJ
unit     the file does not say
up       the file does not say; +Y is expected
bones    none
clips    none
meshes   crate: 8 places, 24 vertices, 12 triangles, material DefaultMaterial
         x 0.000 to {size:.3f} m, y 0.000 to {1.5 * size:.3f} m, z 0.000 to {size:.3f} m
         tweed.cloth cannot take it: {reason}
tweed    tweed.import cannot read it: {path}: has no bones
         tweed.import_mesh {{ file = "crate.obj" }} reads its meshes without bones: 1
""" + (f"         {advice}\n" if advice else ""), "")


def test_what_tweed_cloth_takes(tmp_path):
    path = tmp_path / "apron.obj"
    path.write_text("".join(f"v {.1 * (i % 4):.1f} {1 - .1 * (i // 4):.1f} 0.2\n" for i in range(12)) + "".join(
        f"f {i + 5} {i + 6} {i + 2} {i + 1}\n" for i in (0, 1, 2, 4, 5, 6)))
    status, text, errors = outcome(path)
    assert (status, errors) == (0, "") and "         tweed.cloth takes it: a sheet of 3 rows and 4 columns\n" in text
    (mesh,) = json.loads(outcome(path, "--json")[1])["meshes"]
    assert mesh["cloth"] == {"rows": 3, "columns": 4, "closed": False, "general": True} and "no_cloth" not in mesh
    path.write_text("v 0.0 1.0 0.0\nv 1.0 1.0 0.0\nv 1.0 0.0 0.0\nv 0.0 0.0 0.0\nv 0.4 0.5 0.0\n"
                    "f 1 5 2\nf 2 5 3\nf 3 5 4\nf 4 5 1\n")
    assert ("         tweed.cloth takes it as a general mesh: its vertices are no grid; beside rows and columns it is a "
            "grid: a sheet\n" in outcome(path)[1])
    assert json.loads(outcome(path, "--json")[1])["meshes"][0]["cloth"] == {"closed": False, "general": True}
    path.write_text("v 0.0 1.0 0.0\nv 1.0 1.0 0.0\nv 0.5 0.0 0.0\nf 1 3 2\n")
    assert ("         tweed.cloth takes it as a general mesh: expected a sheet with four corners, found 3 that are sharp\n"
            in outcome(path)[1])
    assert json.loads(outcome(path, "--json")[1])["meshes"][0]["cloth"] == {"general": True}


def test_a_skirt_of_several_materials(tmp_path):
    points = [(.2 * math.sin(math.pi * i / 4), 1 - .1 * (i // 8), .2 * math.cos(math.pi * i / 4)) for i in range(40)]
    lines = ["mtllib skirt.mtl", "o skirt"] + ["v %.6f %.6f %.6f" % point for point in points]
    for row in range(4):
        lines.append("usemtl " + ("hem" if row == 3 else "cloth"))
        lines += ["f %d %d %d %d" % (8 * row + i + 1, 8 * row + i + 9, 8 * row + (i + 1) % 8 + 9,
                                     8 * row + (i + 1) % 8 + 1) for i in range(8)]
    (tmp_path / "skirt.obj").write_text("\n".join(lines) + "\n")
    (tmp_path / "skirt.mtl").write_text("newmtl cloth\nKd 1 0 0\nnewmtl hem\nKd 0 1 0\n")
    status, text, errors = outcome(tmp_path / "skirt.obj")
    assert (status, errors) == (0, "") and "skirt: 32 places" in text and "hem: 16 places" in text
    assert "         tweed.cloth takes all of that name: a ring of 5 rows and 8 columns\n" in text
    assert "         tweed.cloth takes it: a ring of 2 rows and 8 columns\n" in text
    assert text.endswith("reads its meshes without bones: 2\n"
                         "         tweed.cloth takes all of it: a ring of 5 rows and 8 columns\n")


def test_what_cannot_be_read(tmp_path):
    (tmp_path / "notes.txt").write_text("a text")
    status, text, errors = outcome(tmp_path / "notes.txt")
    assert (status, text) == (1, "") and errors.startswith(
        f"tweed: {tmp_path}/notes.txt: expected a file of BVH, glTF (.gltf, .glb, .vrm), FBX")
    status, text, errors = outcome("none.bvh", "--assets", tmp_path)
    assert (status, text) == (1, "") and errors.startswith(f'tweed: no file "none.bvh" in {tmp_path}, ')
    assert outcome() == (2, "", "tweed: inspect: expected a file to inspect (such as BVH/01_01.bvh), found none\n")
    assert outcome("a", "b") == (2, "", 'tweed: inspect: expected nothing more, found "b"\n')
    assert outcome("a", "--paths") == (2, "", "tweed: no option --paths; see --help\n")


def test_a_path_without_a_file_says_what_is_there(tmp_path):
    os.mkfifo(tmp_path / "pipe.bvh")
    for name, found in (("none.bvh", "No such file or directory"), ("", "expected a file, found a folder"),
                        ("pipe.bvh", "expected a file, found a device or a pipe")):
        result = run("inspect", tmp_path / name)
        assert (result.returncode, result.stderr) == (1, f"tweed: {tmp_path / name}: {found}\n")
