"""What cannot be done says why, in words."""
import bpy
from stage import ARGUMENTS, connected

NAMES = "import_character", "bind_armature", "make_garment", "record_live"


def check(words, name, **arguments):
    try:
        getattr(bpy.ops.tweed, name)(**arguments)
    except RuntimeError as error:
        assert words in str(error), (name, error)
    else:
        raise AssertionError(f"{name} was not refused")


for name in NAMES:
    check("not connected to a server", name)
check("expected HOST:PORT", "connect", address="nowhere")
check("nothing listens at 127.0.0.1:1", "connect", address="127.0.0.1:1")
check("nothing listens at 127.0.0.1:1", "import_character", character="one")
connected(ARGUMENTS[0])
bpy.context.view_layer.objects.active = None
check("expected an active armature", "bind_armature", character="one")
check("expected an active mesh", "make_garment")
check("expected an active armature with an active bone", "add_collider")
