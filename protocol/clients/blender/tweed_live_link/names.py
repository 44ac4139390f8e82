"""Which bone of an armature is which bone of a character: by its own name, or by its role in a humanoid. No bpy.

Roles are those of scripts/rigs/roles.lua. The conventions here are the ones there, and those of Blender's own rigs.
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Optional

# Of each convention: the sides, then the pattern of each role, of which the first name that exists counts.
CONVENTIONS: tuple[dict[str, Sequence[str]], ...] = (
    {"sides": ("Left", "Right"), "hips": ("Hips",), "spine": ("Spine", "LowerBack"),
     "chest": ("Spine2", "Spine1", "Chest"), "neck": ("Neck",), "head": ("Head",), "shoulder": ("%sShoulder",),
     "upper_arm": ("%sArm",), "lower_arm": ("%sForeArm",), "hand": ("%sHand",), "upper_leg": ("%sUpLeg",),
     "lower_leg": ("%sLeg",), "foot": ("%sFoot",), "toes": ("%sToeBase",)},
    {"sides": ("Left", "Right"), "hips": ("Hips",), "spine": ("Chest",),
     "chest": ("Chest4", "Chest3", "Chest2", "Chest"), "neck": ("Neck",), "head": ("Head",), "shoulder": ("%sCollar",),
     "upper_arm": ("%sShoulder",), "lower_arm": ("%sElbow",), "hand": ("%sWrist",), "upper_leg": ("%sHip",),
     "lower_leg": ("%sKnee",), "foot": ("%sAnkle",), "toes": ("%sToes", "%sToe")},
    {"sides": ("left", "right"), "hips": ("hips",), "spine": ("spine",), "chest": ("chest",), "neck": ("neck",),
     "head": ("head",), "shoulder": ("%sShoulder",), "upper_arm": ("%sUpperArm",), "lower_arm": ("%sLowerArm",),
     "hand": ("%sHand",), "upper_leg": ("%sUpperLeg",), "lower_leg": ("%sLowerLeg",), "foot": ("%sFoot",),
     "toes": ("%sToes",)},
    {"sides": ("L", "R"), "hips": ("C_Hips",), "spine": ("C_Spine",), "chest": ("C_Chest",), "neck": ("C_Neck",),
     "head": ("C_Head",), "shoulder": ("%s_Shoulder",), "upper_arm": ("%s_UpperArm",), "lower_arm": ("%s_LowerArm",),
     "hand": ("%s_Hand",), "upper_leg": ("%s_UpperLeg",), "lower_leg": ("%s_LowerLeg",), "foot": ("%s_Foot",),
     "toes": ("%s_ToeBase",)},
    # Rigify, and the metarigs that it makes rigs from; its deforming bones begin with DEF-.
    {"sides": ("L", "R"), "hips": ("spine", "pelvis"), "spine": ("spine.001",), "chest": ("spine.003", "chest"),
     "neck": ("spine.004", "neck"), "head": ("spine.006", "spine.005", "head", "face"), "shoulder": ("shoulder.%s",),
     "upper_arm": ("upper_arm.%s",), "lower_arm": ("forearm.%s",), "hand": ("hand.%s",), "upper_leg": ("thigh.%s",),
     "lower_leg": ("shin.%s",), "foot": ("foot.%s",), "toes": ("toe.%s",)},
    # Unreal's mannequin.
    {"sides": ("l", "r"), "hips": ("pelvis",), "spine": ("spine_01",), "chest": ("spine_03",), "neck": ("neck_01",),
     "head": ("head",), "shoulder": ("clavicle_%s",), "upper_arm": ("upperarm_%s",), "lower_arm": ("lowerarm_%s",),
     "hand": ("hand_%s",), "upper_leg": ("thigh_%s",), "lower_leg": ("calf_%s",), "foot": ("foot_%s",),
     "toes": ("ball_%s",)},
)
LIMBS = ("shoulder", "upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg", "foot", "toes")
TRUNK = ("hips", "spine", "chest", "neck", "head")
NEEDED = 8  # roles that a skeleton has at least, to be taken for a humanoid


def find_roles(bones: Iterable[str]) -> dict[str, str]:
    """Returns {role: bone}, after the convention that gives most roles; {} if the bones are no humanoid's."""
    bones = set(bones)
    found = [_by_convention(convention, prefix, bones)
             for convention in CONVENTIONS for prefix in _prefixes(convention, bones)]
    best: dict[str, str] = max(found, key=len)
    return best if len(best) >= NEEDED else {}


def match_bones(theirs: Sequence[str], ours: Sequence[str]) -> dict[str, str]:
    """Returns {their bone: our bone}: by equal names, where names differ by role, else without what stands before a
    colon. No bone of ours twice."""
    ours_left = set(ours)
    pairs = {name: name for name in theirs if name in ours_left}
    ours_left -= set(pairs)
    their_roles, our_roles = find_roles(theirs), find_roles(ours)
    wanted: list[tuple[str, Optional[str]]] = [(name, our_roles.get(role)) for role, name in their_roles.items()]
    for name, our in wanted + [(name, name.rpartition(":")[2]) for name in theirs]:
        if name not in pairs and our in ours_left:
            pairs[name] = our
            ours_left.discard(our)
    return {name: pairs[name] for name in theirs if name in pairs}


def _prefixes(convention: dict[str, Sequence[str]], bones: set[str]) -> set[str]:
    """What stands before all names, such as "mixamorig:" or "DEF-"."""
    hips = convention["hips"][0]
    return {""} | {bone[:-len(hips)] for bone in bones if bone.endswith(hips)}


def _by_convention(convention: dict[str, Sequence[str]], prefix: str, bones: set[str]) -> dict[str, str]:
    roles: dict[str, str] = {}

    def take(role: str, names: Iterable[str]) -> None:
        for name in names:
            if prefix + name in bones and prefix + name not in roles.values():
                roles[role] = prefix + name
                return
    for role in TRUNK:
        take(role, convention[role])
    for side, written in zip(("left", "right"), convention["sides"]):
        for limb in LIMBS:
            take(f"{side}_{limb}", [pattern % written for pattern in convention[limb]])
    return roles
