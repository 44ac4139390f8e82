"""What the add-on keeps in files and preferences."""
import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

_token = ""  # kept here alone: properties are saved in files


def token() -> str:
    return _token


def _get_token(_: bpy.types.bpy_struct) -> str:
    return _token


def _set_token(_: bpy.types.bpy_struct, value: str) -> None:
    global _token
    _token = value.strip()


class TweedPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    host: StringProperty(name="Host", description="Where tweed runs", default="127.0.0.1")
    port: IntProperty(name="Port", description="tweed's TCP port, of --listen", default=7601, min=1, max=65535)


class TweedArmature(bpy.types.PropertyGroup):
    """Of an armature, kept in the file."""

    character: StringProperty(name="Character", description="The server's character that this armature shows")
    follow: BoolProperty(name="Follow", description="Pose this armature as the server simulates the character")
    drive: BoolProperty(name="Drive", description="Pose the server's character as this armature is animated")


class TweedWindow(bpy.types.PropertyGroup):
    """Of the program, not of a file."""

    token: StringProperty(name="Token", subtype="PASSWORD", get=_get_token, set=_set_token,
                          description="Only for servers with --token-file. It is not saved")
    filter: StringProperty(name="Filter", description="Show only characters with this in their name")
    preroll: FloatProperty(name="Preroll", description="Time for cloth to settle before a shot's first frame",
                           default=1, min=0, max=60, subtype="TIME_ABSOLUTE", unit="TIME_ABSOLUTE")


CLASSES = (TweedPreferences, TweedArmature, TweedWindow)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Object.tweed = PointerProperty(type=TweedArmature)
    bpy.types.WindowManager.tweed = PointerProperty(type=TweedWindow)


def unregister() -> None:
    del bpy.types.WindowManager.tweed
    del bpy.types.Object.tweed
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
