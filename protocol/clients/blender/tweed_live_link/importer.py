"""Makes an armature, skinned meshes and colliders of the description of a character."""
from __future__ import annotations

import json
from collections import defaultdict
from typing import Any, Optional

import bpy
from mathutils import Matrix, Quaternion, Vector

from .binding import Binding, matrix
from .link import Link
from .materials import material_of
from .objects import search

ROOT_WITHIN = 2.0  # s
SHORTEST = .01  # m of a bone; Blender drops bones without a length
GROUPS = {"skeleton": ("Skeleton", 4), "driven": ("Driven", 9), "cloth": ("Cloth", 1), "pendulum": ("Pendulums", 3),
          "chain": ("Chains", 6)}  # a kind's name in Blender, and the number of its theme's colour


def import_character(link: Link, context: Any, character: str, place: Optional[Matrix] = None) -> Any:
    """Adds a character to the scene, and returns its armature, which follows it and stands at `place`.

    Without a place, it stands where the character has its root now.
    """
    description = link.request("character.describe", character=character, axes="blender", mesh=True)
    if place is None:
        place = place_of_root(link, character, description)
    collection = bpy.data.collections.new(character)
    collection["tweed_character"] = character
    context.scene.collection.children.link(collection)
    armature = add_armature(context, collection, description)
    armature.matrix_world = place
    binding = Binding(armature, description)
    for mesh in description.get("meshes", ()):
        add_mesh(collection, armature, binding, description, mesh)
    add_colliders(collection, armature, binding, description)
    armature.tweed.character = character
    armature.tweed.follow = True
    search()
    context.view_layer.objects.active = armature
    return armature


def place_of_root(link: Link, character: str, description: dict[str, Any]) -> Matrix:
    """Returns where the character's root stands in the world; the origin where it has no frame yet, as while paused."""
    try:
        world, model = link.wait(link.root(character, description["bones"][0]["name"]), ROOT_WITHIN)
    except TimeoutError:
        return Matrix()
    location, rotation, _ = (matrix(world) @ matrix(model).inverted()).decompose()
    location = Vector([round(part, 5) for part in location])
    turned = Quaternion([round(part, 6) for part in rotation]).normalized()
    return Matrix.LocRotScale(location, turned, None)


# --- armature ---

def add_armature(context: Any, collection: Any, description: dict[str, Any]) -> Any:
    """Adds an armature in the bind pose, with a bone for each of the character's."""
    data = bpy.data.armatures.new(description["name"])
    data.display_type = "STICK"
    armature = bpy.data.objects.new(description["name"], data)
    collection.objects.link(armature)
    _enter(context, armature, "EDIT")
    _add_bones(data, description["bones"])
    bpy.ops.object.mode_set(mode="OBJECT")
    kinds = {bone["name"]: bone["kind"] for bone in description["bones"]}
    _group_bones(armature, kinds)
    skinned = {description["bones"][joint]["name"] for mesh in description.get("meshes", ())
               for joint in set(mesh["joints"])}
    for bone in data.bones:
        bone.use_deform = bone.name in skinned
        bone["tweed_kind"] = kinds[bone.name]
    for pose_bone in armature.pose.bones:
        pose_bone.rotation_mode = "QUATERNION"
    return armature


def _enter(context: Any, thing: Any, mode: str) -> None:
    active = context.view_layer.objects.active
    if active is not None and active.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for other in context.view_layer.objects:
        other.select_set(False)
    thing.select_set(True)
    context.view_layer.objects.active = thing
    bpy.ops.object.mode_set(mode=mode)


def _add_bones(data: Any, bones: list[dict[str, Any]]) -> None:
    binds = [matrix(bone["inverse_bind"]).inverted() for bone in bones]
    children = defaultdict(list)
    for number, bone in enumerate(bones):
        children[bone["parent"]].append(number)
    edit_bones: list[Any] = []
    for number, bone in enumerate(bones):
        head = binds[number].translation
        edit = data.edit_bones.new(bone["name"])
        edit.head = head
        edit.tail = head + _way(number, bones, binds, children)
        edit.align_roll(binds[number].col[2].xyz)
        if bone["parent"] >= 0:
            edit.parent = edit_bones[bone["parent"]]
        edit_bones.append(edit)


def _way(number: int, bones: list[dict[str, Any]], binds: list[Matrix], children: dict[int, list[int]]) -> Vector:
    """Returns the line of a bone: to its child, or on from its parent, or down its cloth."""
    kind, head = bones[number]["kind"], binds[number].translation
    below = [binds[child].translation - head for child in children[number] if bones[child]["kind"] == kind]
    ways = [way for way in below if way.length > SHORTEST]
    if kind in ("cloth", "chain", "pendulum"):  # x points along the column
        length = ways[0].length if ways else _length_above(number, bones, binds)
        return binds[number].col[0].xyz.normalized() * max(SHORTEST, length * .9)
    if kind == "driven":
        return binds[number].col[1].xyz.normalized() * .04
    if len(ways) == 1:
        return ways[0]
    if ways:  # where bones fork, to the child that goes on straight
        up = _own_way(number, bones, binds)
        return max(ways, key=lambda way: float(way.normalized().dot(up.normalized())))
    return _own_way(number, bones, binds) * .5


def _own_way(number: int, bones: list[dict[str, Any]], binds: list[Matrix]) -> Vector:
    parent = bones[number]["parent"]
    way = binds[number].translation - binds[parent].translation if parent >= 0 else Vector((0, 0, .2))
    return way if way.length > SHORTEST else Vector((0, 0, .05))


def _length_above(number: int, bones: list[dict[str, Any]], binds: list[Matrix]) -> float:
    parent = bones[number]["parent"]
    if parent < 0 or bones[parent]["kind"] != bones[number]["kind"]:
        return .06
    return float((binds[number].translation - binds[parent].translation).length)


def _group_bones(armature: Any, kinds: dict[str, str]) -> None:
    """Sorts bones by kind: into bone collections, or before Blender 4.0 into bone groups and layers."""
    used = [kind for kind in GROUPS if kind in kinds.values()]
    if hasattr(armature.data, "collections"):
        for kind in used:
            title, color = GROUPS[kind]
            collection = armature.data.collections.new(title)
            for bone in armature.data.bones:
                if kinds[bone.name] == kind:
                    collection.assign(bone)
                    bone.color.palette = f"THEME{color:02d}"
        return
    layers = list(GROUPS)
    for kind in used:
        title, color = GROUPS[kind]
        group = armature.pose.bone_groups.new(name=title)
        group.color_set = f"THEME{color:02d}"
        for pose_bone in armature.pose.bones:
            if kinds[pose_bone.name] == kind:
                pose_bone.bone_group = group
                pose_bone.bone.layers = [number == layers.index(kind) for number in range(32)]
    armature.data.layers = [number < len(layers) for number in range(32)]


# --- meshes ---

def add_mesh(collection: Any, armature: Any, binding: Binding, description: dict[str, Any],
             mesh: dict[str, Any]) -> Any:
    """Adds a render mesh of the description, skinned to the armature."""
    kept, welded = weld(mesh)
    triangles = [welded[vertex] for vertex in mesh["triangles"]]
    data = bpy.data.meshes.new(mesh["name"])
    data.vertices.add(len(kept))
    data.vertices.foreach_set("co", [part for vertex in kept for part in mesh["positions"][3 * vertex:3 * vertex + 3]])
    data.loops.add(len(triangles))
    data.loops.foreach_set("vertex_index", triangles)
    data.polygons.add(len(triangles) // 3)
    data.polygons.foreach_set("loop_start", range(0, len(triangles), 3))
    if bpy.app.version < (4, 1):  # later versions know it by the next face's start
        data.polygons.foreach_set("loop_total", [3] * (len(triangles) // 3))
    data.polygons.foreach_set("use_smooth", [True] * (len(triangles) // 3))
    _set_uvs(data, mesh["uvs"], mesh["triangles"])
    data.update(calc_edges=True)
    data.validate(clean_customdata=False)
    data.materials.append(material_of(mesh["material"]))
    thing = bpy.data.objects.new(mesh["name"], data)
    collection.objects.link(thing)
    thing.parent = armature
    _set_weights(thing, description["bones"], mesh, kept, {bone.character: bone.name for bone in binding.bones})
    modifier = thing.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    return thing


def weld(mesh: dict[str, Any]) -> tuple[list[int], list[int]]:
    """Returns the vertices to keep, and for each vertex its place among them.

    Vertices that only differ by their uvs become one, since Blender has uvs in corners. So its own smooth normals are
    those of the description: to keep these as custom normals makes every frame four times as slow to show.
    """
    positions, normals, joints, weights = mesh["positions"], mesh["normals"], mesh["joints"], mesh["weights"]
    places: dict[tuple[Any, ...], int] = {}
    kept: list[int] = []
    welded: list[int] = []
    for vertex in range(len(positions) // 3):
        key = (*positions[3 * vertex:3 * vertex + 3], *(round(part, 1) for part in normals[3 * vertex:3 * vertex + 3]),
               *joints[4 * vertex:4 * vertex + 4], *weights[4 * vertex:4 * vertex + 4])
        if key not in places:
            places[key] = len(kept)
            kept.append(vertex)
        welded.append(places[key])
    return kept, welded


def _set_uvs(data: Any, uvs: list[float], triangles: list[int]) -> None:
    layer = data.uv_layers.new(name="UVMap", do_init=False)
    corners = [number for vertex in triangles for number in (uvs[2 * vertex], 1 - uvs[2 * vertex + 1])]
    layer.data.foreach_set("uv", corners)


def _set_weights(thing: Any, bones: list[dict[str, Any]], mesh: dict[str, Any], kept: list[int],
                 names: dict[str, str]) -> None:
    """Gives the vertices their bones' shares, those of one bone and share together."""
    alike: dict[tuple[int, float], list[int]] = defaultdict(list)
    for number, vertex in enumerate(kept):
        shares = slice(4 * vertex, 4 * vertex + 4)
        for joint, weight in zip(mesh["joints"][shares], mesh["weights"][shares]):
            if weight > 0:
                alike[joint, weight].append(number)
    groups = {}
    for (joint, weight), vertices in alike.items():
        name = names[bones[joint]["name"]]
        if name not in groups:
            groups[name] = thing.vertex_groups.new(name=name)
        groups[name].add(vertices, weight, "ADD")


# --- colliders ---

def add_colliders(collection: Any, armature: Any, binding: Binding, description: dict[str, Any]) -> None:
    """Adds the colliders as wires on their bones."""
    if not description["colliders"]:
        return
    own = bpy.data.collections.new(f"{description['name']} colliders")
    collection.children.link(own)
    bound = {bone.character: bone for bone in binding.bones}
    for collider in description["colliders"]:
        for title, display, local in _wires(collider):
            empty = bpy.data.objects.new(title, None)
            empty.empty_display_type, empty.empty_display_size = display, 1
            empty["tweed_collider"] = json.dumps(collider)
            own.objects.link(empty)
            if collider.get("bone") in bound:
                _hang(empty, armature, bound[collider["bone"]], local)
            else:
                empty.matrix_world = local


def _wires(collider: dict[str, Any]) -> list[tuple[str, str, Matrix]]:
    """Returns the empties of a collider: name, what they look like, and their place in its bone's space."""
    name, shape = collider["name"], collider["shape"]
    if shape == "ellipsoid":
        x, y, z, w = collider["rotation"]
        return [(name, "SPHERE", Matrix.LocRotScale(Vector(collider["center"]), Quaternion((w, x, y, z)),
                                                    Vector(collider["radii"])))]
    if shape == "sphere":
        return [(name, "SPHERE", _ball(collider["center"], collider["radius"]))]
    if shape == "capsule":
        return [(f"{name} from", "SPHERE", _ball(collider["from"], collider["radius"])),
                (f"{name} to", "SPHERE", _ball(collider["to"], collider["radius_end"]))]
    normal = Vector(collider["normal"])
    return [(name, "ARROWS", Matrix.LocRotScale(normal * collider["offset"], normal.to_track_quat("Z", "Y"), None))]


def _ball(center: list[float], radius: float) -> Matrix:
    return Matrix.LocRotScale(Vector(center), None, Vector((radius, radius, radius)))


def _hang(empty: Any, armature: Any, bound: Any, local: Matrix) -> None:
    """Hangs an empty on a bone; Blender measures from the bone's tail."""
    empty.parent, empty.parent_type, empty.parent_bone = armature, "BONE", bound.name
    to_tail = Matrix.Translation((0, -armature.data.bones[bound.name].length, 0))
    empty.matrix_basis = to_tail @ bound.inverse @ local
