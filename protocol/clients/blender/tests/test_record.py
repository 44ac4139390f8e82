"""What is recorded is what was simulated."""
import re

from conftest import HERE, STAGE, run_blender


def test_keyframes_are_what_the_server_streamed(start, blender):
    print(blender("record.py", start(scene=STAGE).address[1]))


def test_a_whole_shot_without_a_window(start, blender, installed, tmp_path):
    """The command is the README's."""
    port = start(scene=STAGE).address[1]
    shot = tmp_path / "shot.blend"
    blender("save_shot.py", port, shot)
    command = re.search(r"blender -b shot\.blend --addons (\w+) --python-expr \\?\s*'(.*)'",
                        (HERE.parent / "README.md").read_text())
    for _ in range(2):  # the second time nothing follows: what was recorded is recorded again
        run_blender(installed, "-b", str(shot), "--addons", command[1], "--python-expr",
                    command[2].replace("7601", str(port)))
    check = "import bpy; assert len(bpy.data.objects['one'].animation_data.action.fcurves[0].keyframe_points) == 10"
    run_blender(installed, "-b", str(shot), "--addons", command[1], "--python-expr", check)
