"""What Blender shows is where the server has it."""
import pytest
from conftest import STAGE
from harness import WAKE


@pytest.mark.parametrize("scene, character", [(WAKE, "alan"), (STAGE, "two")])
def test_bones_and_skin_are_where_the_server_has_them(start, blender, scene, character):
    print(blender("exact.py", start(scene=scene).address[1], character))


def test_scale_means_the_same_whenever_an_armature_is_bound(start, blender, tmp_path):
    print(blender("scale.py", start(scene=WAKE).address[1], tmp_path / "scaled.blend"))
