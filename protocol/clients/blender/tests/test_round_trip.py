"""Files that go between tweed and Blender, by Blender's own importer and exporter of glTF."""
from harness import SANITIZED, WAKE, light_assets, run


def test_a_baked_shot_opens_as_it_is_streamed(start, blender, tmp_path):
    shot = tmp_path / "walk.glb"
    done = run("bake", WAKE, "--seconds", "1", "--out", shot, "--position-error", "0", "--rotation-error", "0",
               *(light_assets() if SANITIZED else []))
    assert done.returncode == 0, done.stderr
    print(blender("baked.py", start().address[1], shot, "alan"))
