"""What Blender shows is where the server has it."""
import pytest
from harness import ROOT


@pytest.mark.parametrize("scene, character", [("wake", "alan")])
def test_bones_and_skin_are_where_the_server_has_them(start, blender, scene, character):
    server = start(scene=ROOT / f"scripts/scenes/{scene}.lua")
    print(blender("exact.py", server.address[1], character))
