"""Makes a garment of a mesh: writes its files for the server, spawns a character that wears it, keeps both alike."""
from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from pathlib import Path
from typing import Any, Optional

import bpy
from mathutils import Matrix, Vector

from . import importer
from .binding import place_of
from .drive import canonical
from .follow import Follower
from .garment_files import MARK, Bone, Collider, Garment, fault, file_name, lua_text, obj_text
from .link import Link, in_words
from .objects import garments

QUIET = .4  # s without a change, until the server gets it
SIMULATED = ("cloth", "pendulum", "chain")


class Workshop:
    """The garments that are made in this file; edits of their meshes go to the server."""

    def __init__(self) -> None:
        self._dirty: dict[str, float] = {}
        self._settings: dict[str, tuple[Any, ...]] = {}
        self._written: set[str] = set()  # meshes whose files were written since Blender started
        self._reloaded: set[str] = set()
        self._fault = ""  # of the last edit, as shown

    def make(self, link: Link, follower: Follower, context: Any, thing: Any, folder: str) -> str:
        """Writes the garment of a mesh, spawns or reloads its character, and imports it; returns its name."""
        garment, name = garment_of(thing), file_name(thing.name)
        stands = [part for row in thing.tweed.armature.matrix_world for part in row]
        known = {entry["name"]: entry["script"] for entry in link.request("character.list")}
        if known.get(name, f"characters/{name}") != f"characters/{name}":
            raise ValueError(f"the server has another character {name}: give the mesh another name")
        script = self._write(thing, garment, folder)
        if name in known:
            link.request("script.reload", script=script)
        else:
            position, rotation = canonical(place_of(thing.tweed.armature)[0])
            link.request("character.spawn", script=script, name=name, position=position, rotation=rotation)
            link.poll()
        if name not in link.characters:
            link.characters.append(name)
        thing.tweed.character, thing.tweed.made_at = name, stands
        thing.display_type, thing.hide_render = "WIRE", True  # what is worn is the imported mesh
        self._settings[thing.name] = _settings(thing)
        bring_up_to_date(link, follower, context, name, place_of(thing.tweed.armature)[0])
        return name

    def changed(self, depsgraph: Any) -> None:
        """Notes the meshes that Blender has changed."""
        for update in depsgraph.updates:
            if isinstance(update.id, bpy.types.Object) and update.is_updated_geometry and update.id.type == "MESH":
                name = update.id.original.name
                if name in self._settings:
                    self._dirty[name] = time.monotonic()

    def step(self, link: Link, follower: Follower, context: Any, folder: str) -> None:
        """Writes what has changed, once it is left alone, and shows what the server then has."""
        now = time.monotonic()
        for name, settings in list(self._settings.items()):
            thing = bpy.data.objects.get(name)
            if thing is None or thing.tweed.armature is None:
                del self._settings[name]
            elif _settings(thing) != settings:
                self._settings[name], self._dirty[name] = _settings(thing), now
        for name in [name for name, since in self._dirty.items() if now - since > QUIET]:
            thing = bpy.data.objects.get(name)
            if thing is None or link.state != "connected":
                del self._dirty[name]
            elif thing.mode != "EDIT":
                del self._dirty[name]
                self._reload(link, thing, folder)
        for name in list(self._reloaded):
            if name not in self._characters():
                self._reloaded.discard(name)
            elif context.mode == "OBJECT" and link.state == "connected":
                self._reloaded.discard(name)
                bring_up_to_date(link, follower, context, name, self._place(name))

    def forget(self) -> None:
        """Another file was loaded, or a step undone: garments are those that the file has."""
        for thing in garments():
            self._settings.setdefault(thing.name, _settings(thing))
            if thing.name in self._written:
                self._dirty[thing.name] = time.monotonic()

    def _reload(self, link: Link, thing: Any, folder: str) -> None:
        try:
            script = self._write(thing, garment_of(thing, *_made_at(thing)), folder)
        except (ValueError, OSError) as error:
            link.message = self._fault = in_words(error, link.address)
            return
        if link.message == self._fault:
            link.message = ""
        name = thing.tweed.character
        link.start(link.client.request("script.reload", script=script), lambda _: self._reloaded.add(name))

    def _write(self, thing: Any, garment: Garment, folder: str) -> str:
        """Writes both files, the mesh first; returns the script's name."""
        wrong = fault(garment)
        if wrong is not None:
            raise ValueError(f"{thing.name}: {wrong}")
        if not folder or not Path(bpy.path.abspath(folder)).is_dir():
            raise ValueError(f'expected the folder of the server\'s --scripts, found "{folder}"')
        characters = Path(bpy.path.abspath(folder), "characters")
        characters.mkdir(exist_ok=True)
        name = file_name(thing.name)
        files = {characters / f"{name}.obj": obj_text(garment),
                 characters / f"{name}.lua": lua_text(garment, f"{name}.obj")}
        for path in files:
            if path.exists() and MARK not in path.read_text(encoding="utf-8", errors="replace").partition("\n")[0]:
                raise ValueError(f"{path} was not written by this add-on: give the mesh another name")
        for path, content in files.items():
            _replace(path, content)
        self._written.add(thing.name)
        return f"characters/{name}"

    def _place(self, character: str) -> Matrix:
        things = (bpy.data.objects.get(name) for name in self._settings)
        return next(place_of(thing.tweed.armature)[0] for thing in things
                    if thing is not None and thing.tweed.character == character)

    def _characters(self) -> set[str]:
        things = (bpy.data.objects.get(name) for name in self._settings)
        return {thing.tweed.character for thing in things if thing is not None}


def bring_up_to_date(link: Link, follower: Follower, context: Any, name: str, place: Matrix) -> None:
    """Updates what was imported of a character, or imports it; what is active and selected stays so."""
    armatures = importer.update_character(link, context, name)
    for armature in armatures:
        follower.forget_one(armature)
    if armatures:
        return
    active, selected = context.view_layer.objects.active, [thing.name for thing in context.selected_objects]
    importer.import_character(link, context, name, place)
    for thing in context.view_layer.objects:
        thing.select_set(thing.name in selected)
    context.view_layer.objects.active = active


def _replace(path: Path, text: str) -> None:
    """Writes a file as a whole: the server may read it at any time."""
    part = path.with_name(f".{path.name}.part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def _settings(thing: Any) -> tuple[Any, ...]:
    own = thing.tweed
    return own.bone, own.pin_group, own.max_distance, own.fabric, own.bone_count


# --- what a garment is made of ---

def garment_of(thing: Any, made_at: Optional[Matrix] = None, unit: Optional[float] = None) -> Garment:
    """Reads a garment from a mesh, its armature and the colliders there. Raises ValueError in words.

    `made_at` is the matrix that the armature had where the mesh stands about it, `unit` the scale that it had then;
    the present ones without them.
    """
    own = thing.tweed
    if own.armature is None:
        raise ValueError(f"{thing.name} has no armature to be worn by")
    unit = unit or place_of(own.armature)[1]
    to_armature = (made_at or own.armature.matrix_world).inverted() @ thing.matrix_world
    points = [unit * (to_armature @ vertex.co) for vertex in thing.data.vertices]
    thing.data.calc_loop_triangles()
    pins = _pins(thing)
    return Garment(
        name=file_name(thing.name), fabric=own.fabric, attach=own.bone or nearest_bone(thing, pins, to_armature),
        max_distance=own.max_distance, bone_count=min(own.bone_count, len(points)),
        points=[(at.x, at.z, -at.y) for at in points],
        triangles=[tuple(triangle.vertices) for triangle in thing.data.loop_triangles], pins=pins,
        skeleton=_skeleton(own.armature, unit), colliders=_colliders(own.armature, unit), color=_color(thing))


def _made_at(thing: Any) -> tuple[Optional[Matrix], Optional[float]]:
    """Returns the armature's matrix when the garment was made, None where the mesh moves with it; and its scale then."""
    if not any(thing.tweed.made_at):
        return None, None
    numbers = thing.tweed.made_at
    made_at = Matrix([numbers[first:first + 4] for first in range(0, 16, 4)])
    return (None if _root(thing) == _root(thing.tweed.armature) else made_at), made_at.to_scale().x


def _root(thing: Any) -> Any:
    while thing.parent is not None:
        thing = thing.parent
    return thing


def _pins(thing: Any) -> list[float]:
    groups = thing.vertex_groups
    group = groups.get(thing.tweed.pin_group) if thing.tweed.pin_group else groups.active
    if group is None:
        raise ValueError(f'{thing.name} has no vertex group "{thing.tweed.pin_group}": expected one that pins vertices')
    return [next((share.weight for share in vertex.groups if share.group == group.index), 0.0)
            for vertex in thing.data.vertices]


def nearest_bone(thing: Any, pins: list[float], to_armature: Matrix) -> str:
    """Returns the bone that pinned vertices are skinned to most, or else that is nearest to them."""
    armature = thing.tweed.armature
    bones: dict[str, Any] = {bone.name: bone for bone in armature.data.bones if bone.get("tweed_kind") not in SIMULATED}
    names = {group.index: group.name for group in thing.vertex_groups if group.name in bones}
    shares: dict[str, float] = defaultdict(float)
    middle, count = Vector(), 0
    for vertex, weight in zip(thing.data.vertices, pins):
        if weight >= .999:
            middle, count = middle + to_armature @ vertex.co, count + 1
            for share in vertex.groups:
                if share.group in names:
                    shares[names[share.group]] += share.weight
    if shares:
        return max(shares, key=lambda name: shares[name])
    if not bones or not count:
        return ""
    return min(list(bones), key=lambda name: _distance(bones[name], middle / count))


def _distance(bone: Any, at: Vector) -> float:
    way = bone.tail_local - bone.head_local
    share = min(1, max(0, (at - bone.head_local).dot(way) / way.length_squared))
    return float((bone.head_local + share * way - at).length)


def _skeleton(armature: Any, unit: float) -> list[Bone]:
    bones: list[Bone] = []
    for bone in sorted(armature.data.bones, key=lambda bone: len(bone.parent_recursive)):
        if bone.get("tweed_kind") in SIMULATED:
            continue
        local = _in_metres(bone.matrix_local, unit)
        if bone.parent is not None:
            local = _in_metres(bone.parent.matrix_local, unit).inverted() @ local
        bones.append(Bone(bone.name, bone.parent.name if bone.parent else None, *canonical(local)))
    return bones


def _in_metres(place: Matrix, unit: float) -> Matrix:
    scaled = place.copy()
    scaled.translation = place.translation * unit
    return scaled


def _color(thing: Any) -> Optional[list[float]]:
    material = thing.active_material
    if material is None:
        return None
    return [12.92 * part if part <= .0031308 else 1.055 * part ** (1 / 2.4) - .055
            for part in material.diffuse_color[:3]]


# --- colliders ---

def add_collider(context: Any, armature: Any, bone: Any) -> Any:
    """Adds a ball on a bone, to be scaled to what it stands for."""
    empty = bpy.data.objects.new(f"{bone.name} collider", None)
    empty.empty_display_type, empty.empty_display_size = "SPHERE", 1
    empty.parent, empty.parent_type, empty.parent_bone = armature, "BONE", bone.name
    empty.location = (0, -bone.length / 2, 0)
    empty.scale = (bone.length * .25, bone.length * .5, bone.length * .25)
    empty["tweed_collider"] = json.dumps({"name": empty.name, "shape": "ellipsoid"})
    context.collection.objects.link(empty)
    return empty


def _colliders(armature: Any, unit: float) -> list[Collider]:
    """Returns the balls on an armature's bones, and capsules where two of them are one's ends."""
    found: dict[str, Collider] = {}
    for empty in sorted(armature.children_recursive, key=lambda child: str(child.name)):
        if empty.type != "EMPTY" or empty.parent_type != "BONE" or "tweed_collider" not in empty:
            continue
        bone = armature.data.bones.get(empty.parent_bone)
        if bone is None:
            continue
        collider = json.loads(empty["tweed_collider"])
        title = collider["name"] if collider["shape"] == "capsule" else empty.name
        location, rotation, radii = _on_bone(empty, bone, unit)
        if title in found:
            found[title].to, found[title].radius_end = location, max(radii)
        else:
            found[title] = Collider(title, bone.name, location, rotation, radii)
    return list(found.values())


def _on_bone(empty: Any, bone: Any, unit: float) -> tuple[list[float], list[float], list[float]]:
    """Returns place, rotation and radii of an empty in its bone's space; Blender measures from the bone's tail."""
    local = Matrix.Translation((0, bone.length, 0)) @ empty.matrix_parent_inverse @ empty.matrix_basis
    position, rotation = canonical(local)
    x, y, z = (abs(part) * empty.empty_display_size * unit for part in local.to_scale())
    return [part * unit for part in position], rotation, [x, z, y]
