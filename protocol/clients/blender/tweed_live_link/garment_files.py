"""The files of a garment that was made in Blender: a mesh as OBJ, and a character in Lua that wears it. No bpy.

Lengths are metres in the protocol's axes, quaternions x, y, z, w. A vertex's paint goes into its colour: red is its
max distance as a share of the greatest one, green is 1 where it is pinned.
"""
from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Optional

Numbers = Sequence[float]


@dataclass
class Bone:
    name: str
    parent: Optional[str]
    position: Numbers
    rotation: Numbers


@dataclass
class Collider:
    """An ellipsoid; with `to` a capsule, from center to there, whose radii are radii[0] and radius_end."""

    name: str
    bone: str
    center: Numbers
    rotation: Numbers
    radii: Numbers
    to: Optional[Numbers] = None
    radius_end: float = 0.0


@dataclass
class Garment:
    """A garment on a skeleton. pins: the weight of each vertex, 1 where it is pinned."""

    name: str
    fabric: str
    attach: str
    max_distance: float
    bone_count: int
    points: Sequence[Numbers]
    triangles: Sequence[Sequence[int]]
    pins: Sequence[float]
    skeleton: Sequence[Bone]
    colliders: Sequence[Collider] = field(default_factory=list)
    color: Optional[Numbers] = None


MARK = "Written by Blender's tweed live link"  # in the first line of both files: others are not overwritten
PINNED = .999  # a weight from which a vertex is pinned


def file_name(name: str) -> str:
    """Returns a name as one of a file and of a script, which is of ASCII."""
    letters = unicodedata.normalize("NFKD", name.lower()).encode("ascii", "ignore").decode()
    return re.sub(r"\W+", "_", letters).strip("_") or "garment"


def fault(garment: Garment) -> Optional[str]:
    """Returns what is wrong with a garment, in words, or None."""
    if not garment.triangles:
        return "the mesh has no faces"
    if not any(weight >= PINNED for weight in garment.pins):
        return "no vertex is pinned: expected a weight of 1 at some vertices of the pin group"
    if all(weight >= PINNED for weight in garment.pins):
        return "all vertices are pinned: expected a weight below 1 where the cloth moves"
    if garment.attach not in {bone.name for bone in garment.skeleton}:
        return f'the armature has no bone "{garment.attach}"'
    for bone in garment.skeleton:
        if len(bone.name.encode()) > 64 or set(bone.name) & set("*?["):
            return f'the bone "{bone.name}" has no name for tweed: expected 1 to 64 bytes without * ? ['
    return None


def obj_text(garment: Garment) -> str:
    """Returns the garment's mesh as OBJ, painted."""
    lines = [f"# {MARK}"]
    for point, weight in zip(garment.points, garment.pins):
        share, pinned = 1 - min(1.0, max(0.0, weight)), int(weight >= PINNED)
        lines.append(f"v {_numbers(point)} {share:.6f} {pinned} 0")
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in garment.triangles]
    return "\n".join(lines) + "\n"


def lua_text(garment: Garment, mesh_file: str) -> str:
    """Returns the script of a character that wears the garment."""
    material = "" if garment.color is None else (
        f"\ngarment.meshes = {{ tweed.bind_mesh {{ name = {_text(garment.name)}, cloth = garment, mesh = mesh,\n"
        f"  material = {{ color = {_list(garment.color)}, roughness = .9 }} }} }}\n")
    return f"""-- {MARK}, and again when the garment is changed there.

local tweed = require "tweed"

local mesh = tweed.import_mesh {{ file = {_text(mesh_file)}, paint = function(vertex)
  return {{ pin = vertex.color[2] > .5, max_distance = vertex.color[1] * {garment.max_distance:.6g} }}
end }}

local garment = tweed.cloth {{
  name = {_text(garment.name)}, fabric = {_text(garment.fabric)}, attach = {_text(garment.attach)},
  mesh = mesh, general = true, bones = {{ count = {garment.bone_count} }},
}}
{material}
return tweed.character {{
  skeleton = tweed.skeleton {{
{_lines(map(_bone, garment.skeleton))}
  }},
  colliders = {{
{_lines(map(_collider, garment.colliders))}
  }},
  garments = {{ garment }},
}}
"""


def _bone(bone: Bone) -> str:
    parent = "" if bone.parent is None else f"parent = {_text(bone.parent)}, "
    place = f"position = {_list(bone.position)}, rotation = {_list(bone.rotation)}"
    return f"{{ name = {_text(bone.name)}, {parent}{place} }}"


def _collider(collider: Collider) -> str:
    head = f"name = {_text(collider.name)}, bone = {_text(collider.bone)}"
    if collider.to is not None:
        return f"tweed.capsule {{ {head}, from = {_list(collider.center)}, to = {_list(collider.to)}, " \
            f"radius = {collider.radii[0]:.6g}, radius_end = {collider.radius_end:.6g} }}"
    return f"tweed.ellipsoid {{ {head}, center = {_list(collider.center)}, rotation = {_list(collider.rotation)}, " \
        f"radii = {_list(collider.radii)} }}"


def _lines(entries: Iterable[str]) -> str:
    return "\n".join(f"    {entry}," for entry in entries)


def _list(numbers: Numbers) -> str:
    return "{ " + ", ".join(f"{number:.7g}" for number in numbers) + " }"


def _numbers(numbers: Numbers) -> str:
    return " ".join(f"{number:.7g}" for number in numbers)


def _text(text: str) -> str:
    """Returns a text as Lua writes it."""
    return '"' + "".join(f"\\{character}" if character in '"\\' else character if character.isprintable()
                         else "".join(f"\\{byte:03d}" for byte in character.encode()) for character in text) + '"'
