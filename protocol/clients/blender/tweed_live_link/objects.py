"""The file's objects that show, drive or wear something of a character.

Files have thousands of objects, and the timer asks at each tick: they are searched ten times a second.
"""
from __future__ import annotations

import time
from typing import Any

import bpy

SEARCHED_EVERY = .1  # s

_names: dict[str, list[str]] = {}
_searched = 0.0


def showing() -> list[Any]:
    """Returns the armatures that show a character, of all scenes, whether they follow it or not."""
    return _known("ARMATURE")


def followers() -> list[Any]:
    """Returns the armatures that follow a character, of all scenes."""
    return [armature for armature in showing() if armature.tweed.follow and not armature.library]


def drivers() -> list[tuple[Any, str]]:
    """Returns the armatures that drive a character, of all scenes: their own, and those of garments made on them.

    A character has one, the first by name.
    """
    first: dict[str, Any] = {}
    for armature, character in _wanting():
        first.setdefault(character, armature)
    return [(armature, character) for character, armature in first.items()]


def idle_drivers() -> list[tuple[Any, Any, str]]:
    """Returns the armatures that are to drive a character and do not, with the one that does, and the character."""
    driving = {character: armature for armature, character in drivers()}
    return [(armature, driving[character], character) for armature, character in _wanting()
            if armature != driving[character]]


def garments() -> list[Any]:
    """Returns the meshes that were made garments."""
    return [thing for thing in _known("MESH") if thing.tweed.armature is not None]


def search() -> None:
    """Has objects found that have just been made or set."""
    global _searched
    _searched = 0.0


def _wanting() -> list[tuple[Any, str]]:
    return [(armature, armature.tweed.character) for armature in showing() if armature.tweed.drive] + [
        (garment.tweed.armature, garment.tweed.character) for garment in garments()]


def _known(kind: str) -> list[Any]:
    global _searched
    now = time.monotonic()
    if now - _searched > SEARCHED_EVERY:
        _searched = now
        for each in ("ARMATURE", "MESH"):
            _names[each] = [thing.name_full for thing in bpy.data.objects
                            if thing.type == each and thing.tweed.character]
    things = (bpy.data.objects.get(name) for name in _names[kind])
    return [thing for thing in things if thing is not None and thing.type == kind and thing.tweed.character]
