"""Makes an armature, skinned meshes and colliders of the description of a character."""
from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
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
    armature["tweed_imported"] = True
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


def imported(character: str) -> list[Any]:
    """Returns the armatures that were imported of a character, and copies of them."""
    return [thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing.tweed.character == character
            and "tweed_imported" in thing and thing.users_collection and not thing.library and not thing.data.library]


def update_character(link: Link, context: Any, character: str) -> list[Any]:
    """Gives what was imported of a character its present bones, meshes and colliders; returns the armatures.

    Objects stay, and with them their names, places, modifiers, materials and actions.
    """
    armatures = imported(character)
    if not armatures:
        return []
    description = link.request("character.describe", character=character, axes="blender", mesh=True)
    for armature in armatures:
        gone = _update_bones(context, armature, description)
        binding = Binding(armature, description)
        _update_meshes(armature, binding, description, gone)
        _remove_colliders(armature)
        add_colliders(armature.users_collection[0], armature, binding, description)
    search()
    return armatures


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
    _set_bones(data, description["bones"])
    bpy.ops.object.mode_set(mode="OBJECT")
    _dress_bones(armature, description, {bone["name"] for bone in description["bones"]})
    return armature


def _update_bones(context: Any, armature: Any, description: dict[str, Any]) -> set[str]:
    """Moves the bones of an imported armature to their bind pose, adds new ones, and removes those that are gone.

    Returns the names of these. Bones that the artist has added stay.
    """
    kinds = {bone["name"]: bone["kind"] for bone in description["bones"]}
    before = {bone.name for bone in armature.data.bones}
    gone = {bone.name for bone in armature.data.bones if "tweed_kind" in bone and bone.name not in kinds}
    with _editable(context, armature):
        for name in gone:
            armature.data.edit_bones.remove(armature.data.edit_bones[name])
        _set_bones(armature.data, description["bones"])
    _dress_bones(armature, description, kinds.keys() - before)
    return gone


@contextmanager
def _editable(context: Any, armature: Any) -> Iterator[None]:
    """Has an armature in edit mode, even a hidden one or one of another scene; then all is as it was before."""
    layer, scene = context.view_layer, context.scene.collection
    active, selected = layer.objects.active, [thing.name for thing in context.selected_objects]
    away = armature.name not in scene.objects  # where no collection hides it
    if away:
        scene.objects.link(armature)
    hidden = armature.hide_viewport, armature.hide_get()
    armature.hide_viewport = False
    armature.hide_set(False)
    _enter(context, armature, "EDIT")
    try:
        yield
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
        armature.hide_viewport = hidden[0]
        armature.hide_set(hidden[1])
        if away:
            scene.objects.unlink(armature)
        for thing in layer.objects:
            thing.select_set(thing.name in selected)
        layer.objects.active = active


def _enter(context: Any, thing: Any, mode: str) -> None:
    active = context.view_layer.objects.active
    if active is not None and active.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for other in context.view_layer.objects:
        other.select_set(False)
    thing.select_set(True)
    context.view_layer.objects.active = thing
    bpy.ops.object.mode_set(mode=mode)


def _set_bones(data: Any, bones: list[dict[str, Any]]) -> None:
    binds = [matrix(bone["inverse_bind"]).inverted() for bone in bones]
    children = defaultdict(list)
    for number, bone in enumerate(bones):
        children[bone["parent"]].append(number)
    edit_bones: list[Any] = []
    for number, bone in enumerate(bones):
        head = binds[number].translation
        edit = data.edit_bones.get(bone["name"]) or data.edit_bones.new(bone["name"])
        edit.use_connect = False
        edit.head = head
        edit.tail = head + _way(number, bones, binds, children)
        edit.align_roll(binds[number].col[2].xyz)
        edit.parent = edit_bones[bone["parent"]] if bone["parent"] >= 0 else None
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


def _dress_bones(armature: Any, description: dict[str, Any], new: set[str]) -> None:
    """Notes what the bones are; those that are new are grouped."""
    kinds = {bone["name"]: bone["kind"] for bone in description["bones"]}
    _group_bones(armature, {name: kind for name, kind in kinds.items() if name in new})
    skinned = {description["bones"][joint]["name"] for mesh in description.get("meshes", ())
               for joint in set(mesh["joints"])}
    for name, kind in kinds.items():
        bone = armature.data.bones[name]
        bone.use_deform = name in skinned
        bone["tweed_kind"] = kind
        if name in new:
            armature.pose.bones[name].rotation_mode = "QUATERNION"


def _group_bones(armature: Any, kinds: dict[str, str]) -> None:
    """Sorts bones by kind: into bone collections, or before Blender 4.0 into bone groups and layers."""
    used = [kind for kind in GROUPS if kind in kinds.values()]
    if hasattr(armature.data, "collections"):
        for kind in used:
            title, color = GROUPS[kind]
            collection = armature.data.collections.get(title) or armature.data.collections.new(title)
            for bone in armature.data.bones:
                if kinds.get(bone.name) == kind:
                    collection.assign(bone)
                    bone.color.palette = f"THEME{color:02d}"
        return
    layers = list(GROUPS)
    for kind in used:
        title, color = GROUPS[kind]
        group = armature.pose.bone_groups.get(title)
        if group is None:
            group = armature.pose.bone_groups.new(name=title)
            group.color_set = f"THEME{color:02d}"
            armature.data.layers[layers.index(kind)] = True
        for pose_bone in armature.pose.bones:
            if kinds.get(pose_bone.name) == kind:
                pose_bone.bone_group = group
                pose_bone.bone.layers = [number == layers.index(kind) for number in range(32)]


# --- meshes ---

def add_mesh(collection: Any, armature: Any, binding: Binding, description: dict[str, Any],
             mesh: dict[str, Any]) -> Any:
    """Adds a render mesh of the description, skinned to the armature."""
    data = bpy.data.meshes.new(mesh["name"])
    kept = _set_geometry(data, mesh)
    data.materials.append(material_of(mesh["material"]))
    thing = bpy.data.objects.new(mesh["name"], data)
    thing["tweed_mesh"] = mesh["name"]
    collection.objects.link(thing)
    thing.parent = armature
    _set_weights(thing, description["bones"], mesh, kept, {bone.character: bone.name for bone in binding.bones})
    modifier = thing.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    return thing


def _update_meshes(armature: Any, binding: Binding, description: dict[str, Any], gone: set[str]) -> None:
    """Gives the imported meshes on an armature their present shape and weights; `gone` are bones that it had."""
    names = {bone.character: bone.name for bone in binding.bones}
    things = [thing for thing in bpy.data.objects
              if thing.type == "MESH" and "tweed_mesh" in thing and thing.find_armature() == armature]
    for mesh in description.get("meshes", ()):
        same = [thing for thing in things if thing["tweed_mesh"] == mesh["name"]]
        if not same:
            add_mesh(armature.users_collection[0], armature, binding, description, mesh)
        for thing in same:  # with its copies
            kept = _move_vertices(thing.data, mesh)
            if kept is None:
                kept = _replace_geometry(thing, mesh)
            _drop_weights(thing, set(names.values()), gone, len(kept))
            _set_weights(thing, description["bones"], mesh, kept, names)


def _drop_weights(thing: Any, bones: set[str], gone: set[str], count: int) -> None:
    for group in list(thing.vertex_groups):
        if group.name in gone:
            thing.vertex_groups.remove(group)
        elif group.name in bones:
            group.remove(range(count))


def _move_vertices(data: Any, mesh: dict[str, Any]) -> Optional[list[int]]:
    """Moves the vertices of a mesh that has the description's faces; None where it has others.

    Shapes of shape keys are moved as far as their vertices.
    """
    kept, welded = weld(mesh)
    corners = array("i", [0]) * len(data.loops)
    data.loops.foreach_get("vertex_index", corners)
    if len(data.vertices) != len(kept) or corners.tolist() != [welded[vertex] for vertex in mesh["triangles"]]:
        return None
    points = [part for vertex in kept for part in mesh["positions"][3 * vertex:3 * vertex + 3]]
    before = array("f", [0]) * len(points)
    data.vertices.foreach_get("co", before)
    for key in data.shape_keys.key_blocks if data.shape_keys else ():
        shape = array("f", before)
        key.data.foreach_get("co", shape)
        key.data.foreach_set("co", [own + new - old for own, new, old in zip(shape, points, before)])
    data.vertices.foreach_set("co", points)
    data.update()
    return kept


def _replace_geometry(thing: Any, mesh: dict[str, Any]) -> list[int]:
    """Gives a mesh the description's faces in place of its own; materials and the names of vertex groups stay."""
    groups = [group.name for group in thing.vertex_groups]
    thing.shape_key_clear()
    thing.data.clear_geometry()
    kept = _set_geometry(thing.data, mesh)
    thing.vertex_groups.clear()
    for name in groups:
        thing.vertex_groups.new(name=name)
    return kept


def _set_geometry(data: Any, mesh: dict[str, Any]) -> list[int]:
    """Gives an empty mesh the description's vertices, faces and uvs; returns the vertices that it has of those."""
    kept, welded = weld(mesh)
    triangles = [welded[vertex] for vertex in mesh["triangles"]]
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
    return kept


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
            groups[name] = thing.vertex_groups.get(name) or thing.vertex_groups.new(name=name)
        groups[name].add(vertices, weight, "ADD")


# --- colliders ---

def add_colliders(collection: Any, armature: Any, binding: Binding, description: dict[str, Any]) -> None:
    """Adds the colliders as wires on their bones."""
    if not description["colliders"]:
        return
    title = f"{description['name']} colliders"
    own = next((child for child in collection.children if child.name.startswith(title)), None)
    if own is None:
        own = bpy.data.collections.new(title)
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


def _remove_colliders(armature: Any) -> None:
    for empty in [child for child in armature.children if child.type == "EMPTY" and "tweed_collider" in child]:
        bpy.data.objects.remove(empty)


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
