"""The link goes on when servers, files and armatures do not."""


def test_what_goes_wrong_in_a_day(blender):
    print(blender("survive.py"))
