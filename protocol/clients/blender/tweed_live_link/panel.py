"""The panel "tweed" in the 3D view's sidebar."""
from __future__ import annotations

from typing import Any

import bpy

from .objects import idle_drivers
from .operators import preferences
from .session import follower, link, live

MOST_SHOWN = 24  # characters in the panel's list
STATES = {"offline": ("Not connected", "UNLINKED"), "connecting": ("Connecting…", "TIME"),
          "connected": ("Connected", "LINKED"), "lost": ("Connecting again…", "ERROR")}
def armature_of(character: str) -> Any:
    """Returns the first armature of the file that shows this character, or None."""
    return next((thing for thing in bpy.data.objects
                 if thing.type == "ARMATURE" and thing.tweed.character == character), None)


class TWEED_PT_link(bpy.types.Panel):
    bl_label, bl_idname = "tweed", "TWEED_PT_link"
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "tweed"

    def draw(self, context: Any) -> None:
        layout = self.layout
        text, icon = STATES[link.state]
        column = layout.column(align=True)
        if link.state == "offline":
            chosen = preferences(context)
            if chosen:
                column.prop(chosen, "host")
                column.prop(chosen, "port")
            column.prop(context.window_manager.tweed, "token")
            column.operator("tweed.connect", icon="LINKED")
        else:
            column.label(text=f"{text}: {link.address}", icon=icon)
            column.operator("tweed.disconnect", icon="UNLINKED")
        if link.message:
            _paragraph(layout.box(), link.message, context.region.width)


class TWEED_PT_characters(bpy.types.Panel):
    bl_label, bl_parent_id = "Characters", "TWEED_PT_link"
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "tweed"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return link.state in ("connected", "lost")

    def draw(self, context: Any) -> None:
        layout, wanted = self.layout, context.window_manager.tweed.filter.lower()
        if len(link.characters) > 5:
            layout.prop(context.window_manager.tweed, "filter", text="", icon="VIEWZOOM")
        names = [name for name in link.characters if wanted in name.lower()]
        for name in names[:MOST_SHOWN]:
            row = layout.row(align=True)
            row.label(text=name, icon="OUTLINER_OB_ARMATURE")
            armature = armature_of(name)
            if armature is not None:
                row.prop(armature.tweed, "follow", toggle=True)
                row.prop(armature.tweed, "drive", toggle=True)
            else:
                row.operator("tweed.import_character").character = name
                row.operator("tweed.bind_armature", text="", icon="ARMATURE_DATA").character = name
        if len(names) > MOST_SHOWN:
            layout.label(text=f"and {len(names) - MOST_SHOWN} more: filter by name")
        if not link.characters:
            layout.label(text="The server has no characters")


class TWEED_PT_record(bpy.types.Panel):
    bl_label, bl_parent_id = "Record", "TWEED_PT_link"
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "tweed"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return link.state in ("connected", "lost")

    def draw(self, context: Any) -> None:
        column = self.layout.column(align=True)
        if live.is_on:
            column.alert = True
            column.operator("tweed.record_live", text="Stop Recording", icon="SNAP_FACE")
        else:
            column.operator("tweed.record_live", icon="REC")
        scene, column = context.scene, self.layout.column(align=True)
        column.prop(context.window_manager.tweed, "preroll")
        button = column.operator("tweed.record_shot", icon="RENDER_ANIMATION",
                                 text=f"Record Frames {scene.frame_start} to {scene.frame_end}")
        button.preroll = context.window_manager.tweed.preroll


class TWEED_PT_garment(bpy.types.Panel):
    bl_label, bl_parent_id = "Garment", "TWEED_PT_link"
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "tweed"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return link.state in ("connected", "lost")

    def draw(self, context: Any) -> None:
        layout, thing = self.layout, context.object
        layout.use_property_split = True
        layout.prop(context.window_manager.tweed, "folder")
        if thing is not None and thing.type == "MESH":
            own, column = thing.tweed, layout.column(align=True)
            column.prop(own, "armature")
            if own.armature is not None:
                column.prop_search(own, "bone", own.armature.data, "bones")
            column.prop_search(own, "pin_group", thing, "vertex_groups")
            for name in ("max_distance", "fabric", "bone_count"):
                column.prop(own, name)
            layout.operator("tweed.make_garment", icon="MOD_CLOTH")
        elif thing is not None and thing.type == "ARMATURE":
            layout.operator("tweed.add_collider", icon="MESH_UVSPHERE")
        else:
            layout.label(text="Select a mesh with a vertex group that pins it")


class TWEED_PT_status(bpy.types.Panel):
    bl_label, bl_parent_id = "Status", "TWEED_PT_link"
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "tweed"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return link.state in ("connected", "lost")

    def draw(self, context: Any) -> None:
        column = self.layout.column(align=True)
        column.label(text=f"{link.rate:.0f} of {link.tick_rate:g} frames a second")
        column.label(text="Latency: " + (f"{1000 * link.latency:.0f} ms" if link.latency is not None else "–"))
        column.label(text=f"Skipped: {link.skipped} ticks")
        for idle, driving, character in idle_drivers():
            _paragraph(self.layout.box(), f"{idle.name} does not drive {character}: {driving.name} does. Untick Drive of "
                       "one of them", context.region.width)
        armature = context.object
        binding = follower.bindings.known(armature) if armature is not None and armature.type == "ARMATURE" else None
        if binding is not None and binding.left:
            _paragraph(self.layout.box(), f"{armature.name}: {len(binding.left)} bones show nothing: "
                       + ", ".join(binding.left), context.region.width)


def _paragraph(layout: Any, text: str, width: int) -> None:
    """Labels do not wrap: this breaks a text into those that fit."""
    fits = max(20, width // 8)
    line, column = "", layout.column(align=True)
    for word in text.split():
        if line and len(line) + len(word) >= fits:
            column.label(text=line)
            line = ""
        line += (" " if line else "") + word
    column.label(text=line)


CLASSES = (TWEED_PT_link, TWEED_PT_characters, TWEED_PT_record, TWEED_PT_garment, TWEED_PT_status)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)


