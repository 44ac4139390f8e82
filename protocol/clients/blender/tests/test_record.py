"""What is recorded is what was simulated."""
import re

from conftest import HERE, STAGE, run_blender


def test_keyframes_are_what_the_server_streamed(start, blender):
    print(blender("record.py", start(scene=STAGE).address[1]))


def test_a_whole_shot_without_a_window(start, installed, tmp_path):
    """The commands are the README's: of a file that is made, and recorded."""
    port = start().address[1]
    shot = tmp_path / "shot.blend"
    record, make = [(addons, re.sub(r"\\\s*", "", code).replace("7601", str(port)).replace("shot.blend", str(shot)))
                    for addons, code in re.findall(r"blender -b[^\n]* --addons (\w+) --python-expr \\?\s*'(.*?)'",
                                                   (HERE.parent / "README.md").read_text(), re.DOTALL)]
    run_blender(installed, "-b", "--addons", make[0], "--python-expr", make[1])
    shorten = "import bpy; bpy.context.scene.frame_end = 10; bpy.ops.wm.save_mainfile()"
    run_blender(installed, "-b", str(shot), "--addons", make[0], "--python-expr", shorten)
    for _ in range(2):  # the second time nothing follows: what was recorded is recorded again
        run_blender(installed, "-b", str(shot), "--addons", record[0], "--python-expr", record[1])
    check = "import bpy; assert len(bpy.data.objects['alan'].animation_data.action.fcurves[0].keyframe_points) == 10"
    run_blender(installed, "-b", str(shot), "--addons", record[0], "--python-expr", check)
