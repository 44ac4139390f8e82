"""In Blender's own window, where Blender calls the timer."""
from conftest import INSIDE, STAGE, requires_display, run_blender


@requires_display
def test_blender_itself_moves_the_armature(start, installed, tmp_path):
    server = start(paused=False, scene=STAGE)
    picture = tmp_path / "window.png"
    display = "xvfb-run", "-a", "-s", "-screen 0 960x640x24", "blender", "--enable-event-simulate"
    run_blender(installed, "--window-geometry", "0", "0", "960", "640", "--python", str(INSIDE / "gui.py"), "--",
                str(server.address[1]), str(picture), command=display)
    assert picture.stat().st_size > 10_000
