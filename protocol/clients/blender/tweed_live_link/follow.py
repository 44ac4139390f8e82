"""Poses armatures as the frames of the server have their characters."""
from __future__ import annotations

from typing import Any

from mathutils import Matrix, Quaternion

from .binding import Binding, Bindings, matrix, place_of
from .link import Link
from .objects import followers
from .tweed.frames import Frame

DRIVEN_KINDS = {"skeleton"}  # what an armature that drives has from the artist, and not from the server


class Follower:
    """Poses the armatures of the file that follow a character."""

    def __init__(self) -> None:
        self.bindings = Bindings()
        self._posed: dict[str, tuple[Frame, Matrix]] = {}  # the last frame, and where the armature stood

    def step(self, link: Link) -> list[tuple[Any, Frame]]:
        """Subscribes to what armatures follow, and poses them by new frames; returns those that it posed."""
        following = followers()
        link.follow({armature.tweed.character for armature in following})
        posed = []
        for armature in following:
            frame = link.frames.get(armature.tweed.character)
            if armature.mode == "EDIT":
                self.bindings.forget(armature)
            elif frame is not None and frame.static.description is not None:
                last, place = self._posed.get(armature.name_full, (None, None))
                if last is frame and place == armature.matrix_world:
                    continue
                pose(armature, frame, self.bindings.of(armature, frame.static.description))
                self._posed[armature.name_full] = frame, armature.matrix_world.copy()
                if last is not frame:
                    link.shown(frame)
                    posed.append((armature, frame))
        return posed

    def forget_one(self, armature: Any) -> None:
        """The armature's bones are others: it is bound and posed anew."""
        self.bindings.forget(armature)
        self._posed.pop(armature.name_full, None)

    def forget(self) -> None:
        """Armatures may be others under the same names: they are bound and posed anew."""
        self.bindings.forget()
        self._posed.clear()


def simulated(armature: Any, binding: Binding) -> list[str]:
    """Returns the names of the armature's bones that the server moves: all of them, or all but those that drive."""
    return [bone.name for bone in binding.bones if not (armature.tweed.drive and bone.kind in DRIVEN_KINDS)]


def pose(armature: Any, frame: Frame, binding: Binding) -> None:
    """Poses the bones of an armature as a frame has them, in the world's space, wherever the armature stands.

    Its scale, too, is made up for, as long as it does not drive: bones have the inverse scale.
    """
    place, scale = place_of(armature)
    to_armature, turn_back = place.inverted(), binding.upright.inverted()
    here = armature.tweed.drive
    # An armature that drives is as large as the artist has it, and its cloth with it.
    resize = Matrix.Scale(binding.posed_scale(armature) / binding.unit if here else 1 / (scale or 1), 4)
    index, numbers = frame.static.index, frame.bones
    pose_bones = armature.pose.bones
    stands: list[Matrix] = []
    for bound in binding.bones:
        own = to_armature @ matrix(numbers[index[bound.character]])
        stand = resize @ own @ bound.offset
        goes_on_its_own = not binding.exact and bound.parent < 0 and bound.kind in DRIVEN_KINDS
        if goes_on_its_own:  # as far as its legs are long
            stand.translation = turn_back @ binding.moved(bound, binding.upright @ own.translation)
        stands.append(stand)
        if here and bound.kind in DRIVEN_KINDS:
            continue
        pose_bone = pose_bones[bound.name]
        if bound.parent >= 0:
            parent = binding.bones[bound.parent].name
            basis = _basis(pose_bone.bone, stand, pose_bones[parent].bone, stands[bound.parent])
        else:
            above = pose_bone.parent  # of the rig's own, such as a root that the artist moves
            basis = _basis(pose_bone.bone, stand, above and above.bone, above and above.matrix)
        if not binding.exact and bound.kind in DRIVEN_KINDS:
            location, rotation, _ = basis.decompose()
            basis = Matrix.LocRotScale(location if goes_on_its_own else None, rotation, None)
        pose_bone.matrix_basis = basis


def _basis(bone: Any, stand: Matrix, parent: Any, parent_stand: Any) -> Matrix:
    if parent is None:
        return bone.convert_local_to_pose(stand, bone.matrix_local, invert=True)
    return bone.convert_local_to_pose(stand, bone.matrix_local, parent_matrix=parent_stand,
                                      parent_matrix_local=parent.matrix_local, invert=True)


def clear(armature: Any) -> None:
    """Puts an armature's bones into their rest pose."""
    for bone in armature.pose.bones:
        bone.matrix_basis = Matrix.LocRotScale(None, Quaternion(), None)
