"""What the add-on keeps in files and preferences."""
import bpy
from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, IntProperty, PointerProperty, StringProperty

USUAL_ADDRESS = "127.0.0.1:7601"

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


def _is_armature(_: bpy.types.bpy_struct, thing: bpy.types.Object) -> bool:
    return bool(thing.type == "ARMATURE")


class TweedObject(bpy.types.PropertyGroup):
    """Of an armature that shows or drives a character, or of a mesh that is made a garment; kept in the file."""

    character: StringProperty(name="Character", description="The server's character that this armature shows")
    follow: BoolProperty(name="Follow", description="Pose this armature as the server simulates the character")
    drive: BoolProperty(name="Drive", description="Pose the server's character as this armature is animated")

    armature: PointerProperty(name="Armature", type=bpy.types.Object, poll=_is_armature,
                              description="The armature that wears this garment")
    made_at: FloatVectorProperty(name="Made At", size=16, options={"HIDDEN"}, description="The armature's matrix, row by "
                                 "row, when the garment was made: a mesh of its own place stays there about the rig")
    bone: StringProperty(name="Hangs On", description="The bone that the pinned vertices follow")
    pin_group: StringProperty(name="Pins", description="The vertex group that pins: weight 1 follows the bone, less "
                              "leaves the more freedom")
    max_distance: FloatProperty(name="Max Distance", description="How far a vertex of weight 0 may leave its place",
                                default=.3, min=.001, max=10, subtype="DISTANCE")
    fabric: StringProperty(name="Fabric", description="The name of a fabric of the server", default="cotton")
    bone_count: IntProperty(name="Bones", description="Bones of the cloth that the server streams, at most one a "
                            "vertex: with fewer, the mesh is farther from the cloth", default=256, min=1, max=1024)


class TweedWindow(bpy.types.PropertyGroup):
    """Of the program, not of a file."""

    token: StringProperty(name="Token", subtype="PASSWORD", get=_get_token, set=_set_token,
                          description="Only for servers with --token-file. It is not saved")
    filter: StringProperty(name="Filter", description="Show only characters with this in their name")
    folder: StringProperty(name="Scripts", subtype="DIR_PATH", description="The folder that the server was given with "
                           "--scripts: garments are written into its folder characters")
    preroll: FloatProperty(name="Preroll", description="Time for cloth to settle before a shot's first frame",
                           default=1, min=0, max=60, subtype="TIME_ABSOLUTE", unit="TIME_ABSOLUTE")


CLASSES = (TweedPreferences, TweedObject, TweedWindow)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Object.tweed = PointerProperty(type=TweedObject)
    bpy.types.WindowManager.tweed = PointerProperty(type=TweedWindow)


def unregister() -> None:
    del bpy.types.WindowManager.tweed
    del bpy.types.Object.tweed
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
