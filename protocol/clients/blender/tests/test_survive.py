"""The link goes on when servers, files and armatures do not."""
from conftest import STAGE


def test_what_goes_wrong_in_a_day(blender):
    print(blender("survive.py"))


def test_what_cannot_be_done_says_why(start, blender):
    print(blender("refused.py", start(scene=STAGE).address[1]))
