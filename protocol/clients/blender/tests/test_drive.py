"""Poses go out as Blender has them."""
from conftest import STAGE


def test_driven_and_followed_back_the_pose_is_the_same(start, blender):
    print(blender("drive.py", start(scene=STAGE).address[1]))
