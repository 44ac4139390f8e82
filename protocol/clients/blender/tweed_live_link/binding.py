"""Which bone of an armature shows which bone of a character, and how the one is turned in the other.

A bone of the armature has its rest matrix B, in metres and with +Z up. Where the character's bone stands at F, and its
bind matrix is M, the armature's bone stands at F C with C = M^-1 B. So a mesh that is skinned in Blender moves by F M^-1,
as the protocol wants it, whichever way Blender's bones point.
"""
from __future__ import annotations

from collections.abc import Sequence
from math import radians
from typing import Any, NamedTuple, Optional

from mathutils import Matrix, Vector

from .names import find_roles, match_bones

SAME_PLACE = 1e-3  # m that bones may lie apart, at rest, for an armature to have the character's proportions

# Limbs that the rest pose of another rig may hold elsewhere, as in a T-pose, and the role at their other end.
LIMB_ENDS = {"upper_arm": "lower_arm", "lower_arm": "hand", "upper_leg": "lower_leg", "lower_leg": "foot"}


class BoundBone(NamedTuple):
    """A bone of the armature and the bone of the character that it shows."""

    name: str          # in the armature
    character: str     # in the character
    parent: int        # the next bound bone above it, an index into Binding.bones; -1 without one
    kind: str          # of the protocol: skeleton, driven, cloth, pendulum, chain
    offset: Matrix     # C
    inverse: Matrix    # of C
    rest: Matrix       # B
    bind: Matrix       # M
    above: int         # the next bound bone above it in the character; -1 without one
    between: Matrix    # from the space of the character's parent bone to that of the bone at `above`, at rest


class Binding:
    """The bones of an armature that show bones of a character.

    bones    parents first
    upright  from the armature's own space to one with +Z up; importers leave armatures with +Y up on a turned object
    exact    whether the armature has the character's proportions, so that positions can be taken over
    scale    the armature's heights as a share of the character's; 1 where it is exact
    left     names of the armature's bones that show nothing
    missing  names of the character's bones that nothing shows
    """

    def __init__(self, armature: Any, description: dict[str, Any]) -> None:
        theirs = description["bones"]
        by_name = {bone["name"]: bone for bone in theirs}
        ordered = _parents_first(armature.data.bones)
        pairs = match_bones([bone.name for bone in ordered], list(by_name))
        unit = armature.matrix_world.to_scale().x
        rest = {bone.name: in_metres(bone.matrix_local, unit) for bone in ordered}
        bind = {name: matrix(bone["inverse_bind"]).inverted() for name, bone in by_name.items()}
        self.upright = _upright(pairs, rest, bind)
        rest = {name: self.upright @ place for name, place in rest.items()}
        turns = _turns(pairs, rest, bind)
        self.exact = all((rest[a].translation - bind[b].translation).length < SAME_PLACE for a, b in pairs.items())
        self.scale = 1.0 if self.exact else _height(rest.values()) / max(1e-6, _height(bind.values()))
        self.left = [bone.name for bone in ordered if bone.name not in pairs]
        self.missing = [name for name in by_name if name not in pairs.values()]
        self.bones: list[BoundBone] = []
        index: dict[str, int] = {}
        for bone in ordered:
            if bone.name in pairs:
                index[bone.name] = len(index)
        numbers = {pairs[name]: number for name, number in index.items()}
        for bone in ordered:
            if bone.name not in pairs:
                continue
            name = pairs[bone.name]
            parent = next((index[up.name] for up in bone.parent_recursive if up.name in index), -1)
            offset = bind[name].inverted() @ turns.get(bone.name, Matrix()) @ rest[bone.name]
            above, between = _above(theirs, by_name[name], numbers)
            self.bones.append(BoundBone(bone.name, name, parent, by_name[name]["kind"], offset, offset.inverted(),
                                        rest[bone.name], bind[name], above, between))

    def moved(self, bound: BoundBone, place: Vector) -> Vector:
        """Returns where a bone of a rig of other proportions goes, with +Z up, when the character's bone is at a place."""
        return bound.rest.translation + (place - bound.bind.translation) * self.scale


class Bindings:
    """The bindings of armatures, made when they are first needed."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Any, tuple[int, list[str]], Binding]] = {}

    def of(self, armature: Any, description: dict[str, Any]) -> Binding:
        """Returns the binding of an armature; `description` is that of the character, the same object each time."""
        known = self._known.get(armature.name_full)
        key = armature.data.as_pointer(), armature.data.bones.keys()
        if known is None or known[0] is not description or known[1] != key:
            known = description, key, Binding(armature, description)
            self._known[armature.name_full] = known
        return known[2]

    def known(self, armature: Any) -> Optional[Binding]:
        """Returns the binding that was made last for this armature, or None."""
        known = self._known.get(armature.name_full)
        return known[2] if known else None

    def forget(self, armature: Optional[Any] = None) -> None:
        """Drops the binding of an armature whose bones may have changed, or all of them."""
        if armature is None:
            self._known.clear()
        else:
            self._known.pop(armature.name_full, None)


def matrix(numbers: Sequence[float]) -> Matrix:
    """Returns a matrix of the protocol, 16 numbers column by column, as Blender's."""
    return Matrix((numbers[0::4], numbers[1::4], numbers[2::4], numbers[3::4]))


def in_metres(pose: Matrix, unit: float) -> Matrix:
    """Returns a matrix of an armature's space with its translation in metres; `unit` is the armature's scale."""
    scaled = pose.copy()
    scaled.translation = pose.translation * unit
    return scaled


def place_of(armature: Any) -> tuple[Matrix, float]:
    """Returns where an armature stands, without its scale, and its scale."""
    location, rotation, scale = armature.matrix_world.decompose()
    return Matrix.LocRotScale(location, rotation, None), scale.x


def _parents_first(bones: Any) -> list[Any]:
    return sorted(bones, key=lambda bone: len(bone.parent_recursive))


def _upright(pairs: dict[str, str], rest: dict[str, Matrix], bind: dict[str, Matrix]) -> Matrix:
    """Returns the turn by which the armature's bones lie most as the character's do."""
    if not pairs:
        return Matrix()
    middle = sum((rest[name].translation for name in pairs), Vector()) / len(pairs)
    other = sum((bind[name].translation for name in pairs.values()), Vector()) / len(pairs)

    def likeness(turn: Matrix) -> float:
        return float(sum((turn.to_3x3() @ (rest[a].translation - middle)).dot(bind[b].translation - other)
                         for a, b in pairs.items()))
    return max((Matrix(), Matrix.Rotation(radians(90), 4, "X")), key=likeness)


def _height(matrices: Any) -> float:
    heights = [pose.translation.z for pose in matrices]
    return max(heights, default=0.0) - min(heights, default=0.0)


def _above(bones: list[dict[str, Any]], bone: dict[str, Any], bound: dict[str, int]) -> tuple[int, Matrix]:
    """Returns the next bound bone above one of the character, and the way to it from the bone's parent, at rest."""
    if bone["parent"] < 0:
        return -1, Matrix()
    parent = upper = bones[bone["parent"]]
    while upper["name"] not in bound:
        if upper["parent"] < 0:
            return -1, matrix(parent["rest"])
        upper = bones[upper["parent"]]
    return bound[upper["name"]], matrix(upper["rest"]).inverted() @ matrix(parent["rest"])


def _turns(pairs: dict[str, str], rest: dict[str, Matrix], bind: dict[str, Matrix]) -> dict[str, Matrix]:
    """Returns how each limb is turned from the armature's rest pose to the character's bind pose, where they differ."""
    turns = {}
    roles = find_roles(pairs)
    for side in ("left", "right"):
        for limb, end in LIMB_ENDS.items():
            here, there = roles.get(f"{side}_{limb}"), roles.get(f"{side}_{end}")
            if here is not None and there is not None:
                own = rest[there].translation - rest[here].translation
                other = bind[pairs[there]].translation - bind[pairs[here]].translation
                if _unit(own).dot(_unit(other)) < 1 - 1e-6:
                    turns[here] = own.rotation_difference(other).to_matrix().to_4x4()
    return turns


def _unit(vector: Vector) -> Vector:
    return vector.normalized()
