"""What Blender shows is where the server has it."""
import pytest
from conftest import STAGE
from harness import WAKE


@pytest.mark.parametrize("scene, character", [(WAKE, "alan"), (STAGE, "two")])
def test_bones_and_skin_are_where_the_server_has_them(start, blender, scene, character):
    print(blender("exact.py", start(scene=scene).address[1], character))
