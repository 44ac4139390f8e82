"""Which bone of an armature shows which bone of a character, and how the one is turned in the other.

A bone of the armature has its rest matrix R, in the armature's own units and with +Z up; U is the scale from these units
to metres. Where the character's bone stands at F, and its bind matrix is M, the armature's bone stands at F C with
C = M^-1 U R. So a mesh that is skinned in Blender moves by F M^-1, as the protocol wants it, whichever way Blender's bones
point. Nothing here depends on the scale that the armature has at present: its bones and the character's say what U is.
"""
from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import radians
from statistics import fmean, median
from typing import Any, NamedTuple, Optional

from mathutils import Matrix, Vector

from .names import find_roles, match_bones

SAME_PLACE = 1e-3  # m that bones may lie apart, at rest, for an armature to have the character's proportions

# Limbs that the rest pose of another rig may hold elsewhere, as in a T-pose, and the role at their other end.
LIMB_ENDS = {"upper_arm": "lower_arm", "lower_arm": "hand", "upper_leg": "lower_leg", "lower_leg": "foot"}
LEG = ("upper_leg", "lower_leg", "foot")
SMALLEST = 1e-6  # length or scale that can be divided by


class BoundBone(NamedTuple):
    """A bone of the armature and the bone of the character that it shows."""

    name: str          # in the armature
    character: str     # in the character
    parent: int        # the next bound bone above it, an index into Binding.bones; -1 without one
    kind: str          # of the protocol: skeleton, driven, cloth, pendulum, chain
    offset: Matrix     # C
    inverse: Matrix    # of C
    rest: Matrix       # R
    bind: Matrix       # M
    above: int         # the next bound bone above it in the character; -1 without one
    between: Matrix    # from the space of the character's parent bone to that of the bone at `above`, at rest


class Binding:
    """The bones of an armature that show bones of a character.

    bones    parents first
    upright  from the armature's own space to one with +Z up; importers leave armatures with +Y up on a turned object
    unit     metres of the character in a unit of the armature
    exact    whether the armature has the character's proportions, so that positions can be taken over
    ratio    of the legs, or of the heights where a rig has none: units of the armature to metres of the character
    left     names of the armature's bones that show nothing
    missing  names of the character's bones that nothing shows
    """

    def __init__(self, armature: Any, description: dict[str, Any]) -> None:
        theirs = description["bones"]
        by_name = {bone["name"]: bone for bone in theirs}
        ordered = _parents_first(armature.data.bones)
        pairs = match_bones([bone.name for bone in ordered], list(by_name))
        rest = {bone.name: bone.matrix_local for bone in ordered}
        bind = {name: matrix(bone["inverse_bind"]).inverted() for name, bone in by_name.items()}
        self.upright = _upright(pairs, rest, bind)
        rest = {name: self.upright @ place for name, place in rest.items()}
        turns = _turns(pairs, rest, bind)
        self.unit = _unit_of(pairs, rest, bind)
        self.exact = all((rest[a].translation * self.unit - bind[b].translation).length < SAME_PLACE
                         for a, b in pairs.items())
        self.ratio = 1 / self.unit if self.exact else _ratio(pairs, rest, bind)
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
            offset = (bind[name].inverted() @ turns.get(bone.name, Matrix()) @ Matrix.Scale(self.unit, 4)
                      @ rest[bone.name])
            above, between = _above(theirs, by_name[name], numbers)
            self.bones.append(BoundBone(bone.name, name, parent, by_name[name]["kind"], offset, offset.inverted(),
                                        rest[bone.name], bind[name], above, between))

    def moved(self, bound: BoundBone, place: Vector) -> Vector:
        """Returns where a bone of a rig of other proportions goes, in its units, when the character's is at a place."""
        return bound.rest.translation + (place - bound.bind.translation) * self.ratio

    def posed_scale(self, armature: Any) -> float:
        """Returns the scale that the bones have by their pose alone, such as of an armature that has followed."""
        top = next((bound.name for bound in self.bones if bound.kind == "skeleton"), None)
        scale: float = armature.pose.bones[top].matrix.to_scale().x if self.exact and top is not None else 1.0
        return scale if abs(scale) > SMALLEST else 1.0


class Bindings:
    """The bindings of armatures, made when they are first needed."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Any, tuple[int, list[str], array[float]], Binding]] = {}

    def of(self, armature: Any, description: dict[str, Any]) -> Binding:
        """Returns the binding of an armature; `description` is that of the character, the same object each time."""
        known = self._known.get(armature.name_full)
        bones = armature.data.bones
        heads = array("f", [0]) * (3 * len(bones))
        bones.foreach_get("head_local", heads)  # Apply Scale moves them
        key = armature.data.as_pointer(), bones.keys(), heads
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


def _unit_of(pairs: dict[str, str], rest: dict[str, Matrix], bind: dict[str, Matrix]) -> float:
    """Returns how many metres a unit of the armature is, for most bones to lie where the character's do."""
    places = [(rest[a].translation, bind[b].translation) for a, b in pairs.items()]
    shares = [own.dot(other) / own.length_squared for own, other in places if own.length > SMALLEST]
    unit = float(median(shares)) if shares else 1.0
    return unit if unit > SMALLEST else 1.0


def _ratio(pairs: dict[str, str], rest: dict[str, Matrix], bind: dict[str, Matrix]) -> float:
    """Returns how long the armature's legs are beside the character's; feet that stand then stay where they are."""
    roles = find_roles(pairs)
    legs = [[roles[f"{side}_{role}"] for role in LEG if f"{side}_{role}" in roles] for side in ("left", "right")]
    whole = [leg for leg in legs if len(leg) == len(LEG)]
    if whole:
        own = fmean(_length([rest[bone] for bone in leg]) for leg in whole)
        other = fmean(_length([bind[pairs[bone]] for bone in leg]) for leg in whole)
    else:
        own, other = _height(rest.values()), _height(bind.values())
    return own / other if min(own, other) > SMALLEST else 1.0


def _length(chain: Sequence[Matrix]) -> float:
    return sum(float((below.translation - above.translation).length) for above, below in zip(chain, chain[1:]))


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
