"""What lives as long as Blender: the one connection, and the timer that moves everything on."""
from __future__ import annotations

import sys
import time
import traceback
from typing import Any

import bpy
from bpy.app.handlers import persistent

from .drive import Drive
from .follow import Follower
from .garment import Workshop
from .link import Link
from .objects import search
from .record import Live

IDLE = .25  # s between two calls of the timer without a connection
REDRAWN = .25  # s between two drawings of the panel

link = Link()
follower = Follower()
drive = Drive()
live = Live()
workshop = Workshop()


def step() -> float:
    """One turn: reads what came, poses armatures, sends poses. Returns the seconds until the next."""
    try:
        link.poll()
        posed = follower.step(link)
        live.add(posed, follower)
        if posed:
            redraw("WINDOW")
        drive.step(link)
        workshop.step(link, follower, bpy.context, bpy.context.window_manager.tweed.folder)
        _redraw_panel()
    except Exception as error:  # a timer that raises ends for good, and with it the link
        traceback.print_exc(file=sys.stderr)
        link.message = f"{type(error).__name__}: {error}"
    return IDLE if link.state == "offline" else 1 / max(30.0, min(120.0, link.tick_rate))


def redraw(kind: str) -> None:
    """Has all regions of this kind drawn again, in 3D views."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == kind:
                        region.tag_redraw()


_drawn: tuple[Any, ...] = ()


def _redraw_panel() -> None:
    """Has the panel drawn again when what it says has changed, and its numbers now and then."""
    global _drawn
    numbers = int(time.monotonic() / REDRAWN) if link.state == "connected" else 0
    says = link.state, link.message, len(link.characters), live.is_on, numbers
    if says != _drawn:
        _drawn = says
        redraw("UI")


@persistent
def _forget(*_: Any) -> None:
    """A file was loaded, or a step undone: bones may be others under the same names."""
    search()
    follower.forget()
    drive.forget()
    workshop.forget()


@persistent
def _changed(scene: Any, depsgraph: Any = None) -> None:
    if depsgraph is not None:
        drive.changed(scene, depsgraph)
        workshop.changed(depsgraph)


@persistent
def _frame_changed(scene: Any, depsgraph: Any = None) -> None:
    if depsgraph is not None:
        drive.frame_changed(scene, depsgraph)


HANDLERS = (("load_post", _forget), ("undo_post", _forget), ("redo_post", _forget),
            ("depsgraph_update_post", _changed), ("frame_change_post", _frame_changed))


def register() -> None:
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)
    bpy.app.timers.register(step, first_interval=IDLE, persistent=True)


def unregister() -> None:
    if bpy.app.timers.is_registered(step):
        bpy.app.timers.unregister(step)
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).remove(handler)
    link.disconnect()
