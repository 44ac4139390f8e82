"""tweed's live link: characters of a tweed server in Blender, both ways. See the README beside this folder."""

bl_info = {
    "name": "tweed live link",
    "author": "tweed",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > tweed",
    "description": "Simulated clothes on armatures, live: follow, drive and record characters of a tweed server",
    "category": "Animation",
}

from . import operators, panel, properties, session  # noqa: E402

MODULES = (properties, session, operators, panel)


def register() -> None:
    for module in MODULES:
        module.register()


def unregister() -> None:
    for module in reversed(MODULES):
        module.unregister()
