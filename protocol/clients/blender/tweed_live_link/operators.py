"""The buttons of the panel, which scripts can call as well: bpy.ops.tweed."""
from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Optional

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, StringProperty

from . import garment, importer, properties, record
from .link import in_words
from .objects import search
from .session import drive, follower, link, live, workshop
from .tweed.errors import TweedError

CONNECT_WITHIN = 15.0  # s, where a script waits for the connection
FAILURES = (TweedError, OSError, TimeoutError, ValueError)


def preferences(context: Any) -> Optional[Any]:
    """Returns those of the add-on; None where the command line has enabled it, by --addons, and the user has not."""
    addon = context.preferences.addons.get(__package__)
    return addon and addon.preferences


def _needs(cls: Any, is_so: bool, words: str) -> bool:
    """Returns whether an operator can be called; if not, Blender says the words."""
    if not is_so:
        cls.poll_message_set(words)
    return is_so


def _needs_connection(cls: Any) -> bool:
    words = {"offline": "not connected to a server: press Connect, or call bpy.ops.tweed.connect()",
             "connecting": f"the connection to {link.address} does not stand yet"}
    return _needs(cls, link.state == "connected", link.message or words.get(link.state, "the connection is lost"))


class Connected(bpy.types.Operator):
    """An operator that needs the server; what the server refuses is reported in words."""

    def run(self, context: Any) -> set[str]:
        raise NotImplementedError

    @classmethod
    def poll(cls, context: Any) -> bool:
        return _needs_connection(cls)

    def execute(self, context: Any) -> set[str]:
        try:
            return self.run(context)
        except FAILURES as error:
            self.report({"ERROR"}, in_words(error, link.address))
            return {"CANCELLED"}


class TWEED_OT_connect(bpy.types.Operator):
    """Connect to the server. Without a window, nothing turns the connection: there it waits until that stands"""

    bl_idname, bl_label = "tweed.connect", "Connect"

    address: StringProperty(name="Address", description="HOST:PORT; those of the preferences without it, for scripts")

    def execute(self, context: Any) -> set[str]:
        chosen = preferences(context)
        try:
            _connect(self.address or (f"{chosen.host}:{chosen.port}" if chosen else properties.USUAL_ADDRESS))
            if bpy.app.background:
                _wait_for_connection()
        except FAILURES as error:
            self.report({"ERROR"}, in_words(error, link.address))
            return {"CANCELLED"}
        return {"FINISHED"}


class TWEED_OT_disconnect(bpy.types.Operator):
    """End the connection. Armatures stay as they are"""

    bl_idname, bl_label = "tweed.disconnect", "Disconnect"

    def execute(self, context: Any) -> set[str]:
        link.disconnect()
        return {"FINISHED"}


class TWEED_OT_import(Connected):
    """Add the character to the scene: armature, meshes and colliders"""

    bl_idname, bl_label, bl_options = "tweed.import_character", "Import", {"REGISTER", "UNDO"}

    character: StringProperty(name="Character")

    def run(self, context: Any) -> set[str]:
        armature = importer.import_character(link, context, self.character)
        self.report({"INFO"}, f"{self.character}: {len(armature.data.bones)} bones")
        return {"FINISHED"}


class TWEED_OT_bind(Connected):
    """Let the active armature show this character: bones are matched by name, or by their role in a humanoid"""

    bl_idname, bl_label, bl_options = "tweed.bind_armature", "Use Active Armature", {"REGISTER", "UNDO"}

    character: StringProperty(name="Character")

    @classmethod
    def poll(cls, context: Any) -> bool:
        return _needs_connection(cls) and _needs(
            cls, context.object is not None and context.object.type == "ARMATURE", "expected an active armature")

    def run(self, context: Any) -> set[str]:
        armature = context.object
        description = link.request("character.describe", character=self.character, axes="blender")
        binding = follower.bindings.of(armature, description)
        if not binding.bones:
            self.report({"ERROR"}, f"no bone of {armature.name} is one of {self.character}'s, by name or role")
            return {"CANCELLED"}
        armature.tweed.character = self.character
        search()
        self.report({"INFO"}, f"{len(binding.bones)} bones match, {len(binding.left)} of {armature.name} do not"
                    + (": " + ", ".join(binding.left) if binding.left else ""))
        return {"FINISHED"}


class TWEED_OT_record_live(bpy.types.Operator):
    """Record what follows, in the server's time, from the present frame on. Press again to end"""

    bl_idname, bl_label, bl_options = "tweed.record_live", "Record Live", {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return live.is_on or _needs_connection(cls)

    def execute(self, context: Any) -> set[str]:
        if not live.is_on:
            live.begin(context.scene)
            self.report({"INFO"}, "recording")
            return {"FINISHED"}
        self.report({"INFO"}, f"{live.end(context.scene)} frames recorded")
        return {"FINISHED"}


class TWEED_OT_record_shot(bpy.types.Operator):
    """Record all armatures that follow, frame by frame: the server pauses and steps. Escape ends it without a change"""

    bl_idname, bl_label, bl_options = "tweed.record_shot", "Record Shot", {"REGISTER", "UNDO"}

    frame_start: IntProperty(name="Start", description="First frame; 0 is the scene's", min=0)
    frame_end: IntProperty(name="End", description="Last frame; 0 is the scene's", min=0)
    preroll: FloatProperty(name="Preroll", description="Seconds that cloth has to settle before the first frame",
                           default=1, min=0, max=60)
    address: StringProperty(name="Address", description="HOST:PORT to connect to first, for scripts")
    save: BoolProperty(name="Save", description="Save the file afterwards, for scripts")

    _steps: Optional[Iterator[float]] = None
    _timer: Any = None

    def _begin(self, context: Any) -> Iterator[float]:
        start = self.frame_start or context.scene.frame_start
        end = self.frame_end or context.scene.frame_end
        if end < start:
            raise ValueError(f"the last frame, {end}, is before the first, {start}")
        if self.address:
            _connect(self.address)
            _wait_for_connection()
        return record.shot(link, follower, drive, context, start, end, self.preroll)

    def execute(self, context: Any) -> set[str]:
        try:
            for _ in self._begin(context):
                pass
            if self.save:
                bpy.ops.wm.save_mainfile()
        except FAILURES as error:
            self.report({"ERROR"}, in_words(error, link.address))
            return {"CANCELLED"}
        return {"FINISHED"}

    def invoke(self, context: Any, event: Any) -> set[str]:
        try:
            self._steps = self._begin(context)
        except FAILURES as error:
            self.report({"ERROR"}, in_words(error, link.address))
            return {"CANCELLED"}
        self._timer = context.window_manager.event_timer_add(.001, window=context.window)
        context.window_manager.progress_begin(0, 100)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        if event.type == "ESC":
            return self._end(context, {"CANCELLED"})
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        try:
            assert self._steps is not None
            context.window_manager.progress_update(100 * next(self._steps))
        except StopIteration:
            return self._end(context, {"FINISHED"})
        except FAILURES as error:
            self.report({"ERROR"}, in_words(error, link.address))
            return self._end(context, {"CANCELLED"})
        return {"RUNNING_MODAL"}

    def _end(self, context: Any, result: set[str]) -> set[str]:
        self._steps = None  # the generator resumes the server
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        return result


class TWEED_OT_make_garment(Connected):
    """Make the active mesh a garment: write its files, spawn a character that wears it, and import that"""

    bl_idname, bl_label, bl_options = "tweed.make_garment", "Make Garment", {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return _needs_connection(cls) and _needs(
            cls, context.mode == "OBJECT" and context.object is not None and context.object.type == "MESH",
            "expected an active mesh, in object mode")

    def run(self, context: Any) -> set[str]:
        thing = context.object
        if thing.tweed.armature is None:
            thing.tweed.armature = thing.find_armature()
        name = workshop.make(link, follower, context, thing, context.window_manager.tweed.folder)
        self.report({"INFO"}, f"{name}: the server has it, and its edits")
        return {"FINISHED"}


class TWEED_OT_add_collider(bpy.types.Operator):
    """Add a ball to the active bone that garments stay out of; scale it to the body"""

    bl_idname, bl_label, bl_options = "tweed.add_collider", "Add Collider", {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        thing = context.object
        return _needs(cls, thing is not None and thing.type == "ARMATURE" and thing.data.bones.active is not None,
                      "expected an active armature with an active bone")

    def execute(self, context: Any) -> set[str]:
        garment.add_collider(context, context.object, context.object.data.bones.active)
        return {"FINISHED"}


def _connect(address: str) -> None:
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError(f'expected HOST:PORT, found "{address}"')
    link.connect(host, int(port), properties.token())


def _wait_for_connection() -> None:
    deadline = time.monotonic() + CONNECT_WITHIN
    while link.state == "connecting" and time.monotonic() < deadline:
        link.poll()
        time.sleep(.002)
    if link.state != "connected":
        raise ValueError(link.message or f"no connection to {link.address} within {CONNECT_WITHIN:g} s")


CLASSES = (TWEED_OT_connect, TWEED_OT_disconnect, TWEED_OT_import, TWEED_OT_bind, TWEED_OT_record_live,
           TWEED_OT_record_shot, TWEED_OT_make_garment, TWEED_OT_add_collider)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
