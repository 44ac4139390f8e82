"""Imports a character into the file that is given, and saves it: a shot to record."""
import bpy
from stage import ARGUMENTS, connected, import_character

connected(ARGUMENTS[0])
import_character("one")
bpy.context.scene.frame_end = 10
bpy.ops.wm.save_as_mainfile(filepath=ARGUMENTS[1])
