"""Installs the zip of TWEED_ZIP, as Preferences > Add-ons > Install does, and enables it."""
import os

import bpy

bpy.ops.preferences.addon_install(filepath=os.environ["TWEED_ZIP"])
bpy.ops.preferences.addon_enable(module="tweed_live_link")
assert "tweed_live_link" in bpy.context.preferences.addons
assert hasattr(bpy.types, "TWEED_PT_link")
bpy.ops.preferences.addon_disable(module="tweed_live_link")
assert not hasattr(bpy.types, "TWEED_PT_link") and not hasattr(bpy.types.Object, "tweed")
