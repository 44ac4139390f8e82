"""What the streamed motion is judged by: exact depths in colliders, link lengths, distances and turns of bones.

Everything is vectorised over ticks and particles: points are [ticks][particles][xyz], matrices [ticks][bones][4][4]
with column vectors, all in the character's model space and metres.
"""
from dataclasses import dataclass

import numpy as np


def to_matrices(numbers):
    """[...][bones][16], column-major as streamed, to [...][bones][4][4]."""
    array = np.asarray(numbers, dtype=np.float64)
    return array.reshape(*array.shape[:-1], 4, 4).swapaxes(-1, -2)


def matrices_of(bones, key):
    """Those of a description's bones: "rest" or "inverse_bind"."""
    return to_matrices([bone[key] for bone in bones])


def quaternion_matrix(quaternion):
    x, y, z, w = quaternion
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


# --- depths: how far inside, in metres; 0 outside ---


def ellipsoid_depth(points, radii):
    """Distance to the nearest point of the surface, for points in the ellipsoid's own axes. After Eberly: the nearest
    point is e²y/(t+e²) where Σ(e·y/(t+e²))² = 1, and for a point inside, t lies between -min(e²) and 0."""
    e = np.asarray(radii, dtype=np.float64)
    y = np.maximum(np.abs(np.asarray(points, dtype=np.float64)), 1e-7 * e)
    depth = np.zeros(y.shape[:-1])
    inside = np.sum((y / e) ** 2, axis=-1) < 1
    y = y[inside]
    low = np.max(-e**2 + e * y, axis=-1)
    high = np.zeros(len(y))
    for _ in range(80):
        middle = (low + high) / 2
        outside = np.sum((e * y / (middle[:, None] + e**2)) ** 2, axis=-1) > 1
        low, high = np.where(outside, middle, low), np.where(outside, high, middle)
    nearest = e**2 * y / (((low + high) / 2)[:, None] + e**2)
    depth[inside] = np.linalg.norm(nearest - y, axis=-1)
    return depth


def sphere_depth(points, center, radius):
    return np.maximum(radius - np.linalg.norm(points - center, axis=-1), 0)


def capsule_depth(points, a, b, radius_a, radius_b):
    """The hull of two spheres. `a` and `b` are one point, or one a tick as [ticks][1][xyz]."""
    axis = b - a
    length = np.linalg.norm(axis, axis=-1, keepdims=True)
    if np.all(length <= abs(radius_a - radius_b)):  # one sphere holds the other
        return sphere_depth(points, *((a, radius_a) if radius_a > radius_b else (b, radius_b)))
    axis = axis / length
    length = length[..., 0]
    along = np.sum((points - a) * axis, axis=-1)
    across = np.linalg.norm(points - a - along[..., None] * axis, axis=-1)
    slope = (radius_a - radius_b) / length  # sine of the half angle of the cone that touches both spheres
    foot = along - across * slope / np.sqrt(1 - slope**2)  # where the surface's normal through the point meets the axis
    foot = np.clip(foot, 0, length)
    radius = radius_a + (radius_b - radius_a) * foot / length
    distance = np.hypot(along - foot, across)
    return np.maximum(radius - distance, 0)


def collider_depth(collider, points, bone_matrices, root):
    """Depth of [ticks][particles] points; bone_matrices: {name: [ticks][4][4]}; root: [ticks][4][4], model to world."""
    if collider["shape"] == "plane":
        world = np.einsum("tij,tpj->tpi", root[:, :3, :3], points) + root[:, None, :3, 3]
        return np.maximum(collider["offset"] - world @ np.array(collider["normal"]), 0)
    matrix = bone_matrices[collider["bone"]]
    local = np.einsum("tji,tpj->tpi", matrix[:, :3, :3], points - matrix[:, None, :3, 3])
    if collider["shape"] == "ellipsoid":
        turned = (local - collider["center"]) @ quaternion_matrix(collider["rotation"])
        return ellipsoid_depth(turned, collider["radii"])
    if collider["shape"] == "sphere":
        return sphere_depth(local, np.array(collider["center"]), collider["radius"])
    return capsule_depth(local, np.array(collider["from"]), np.array(collider["to"]), collider["radius"],
                         collider["radius_end"])


# --- cloth and bones ---


def vertical_stretch(points, rest, rows, columns):
    """|length/rest - 1| of every vertical link, [ticks][rows-1][columns]."""

    def lengths(positions):
        grid = positions.reshape(*positions.shape[:-2], rows, columns, 3)
        return np.linalg.norm(np.diff(grid, axis=-3), axis=-1)

    return np.abs(lengths(points) / lengths(rest) - 1)


def orthonormality_error(matrices):
    """The largest deviation from a right-handed rigid matrix, [ticks][bones]."""
    rotation = matrices[..., :3, :3]
    gram = np.abs(rotation @ rotation.swapaxes(-1, -2) - np.eye(3)).max(axis=(-1, -2))
    handed = np.abs(np.linalg.det(rotation) - 1)
    bottom = np.abs(matrices[..., 3, :] - [0, 0, 0, 1]).max(axis=-1)
    return np.maximum(np.maximum(gram, handed), bottom)


def twist_degrees(matrices):
    """How far each bone turned about its own x in a tick, beyond the smallest turn that brings x along:
    [ticks-1][bones]."""
    x0, x1 = matrices[:-1, ..., :3, 0], matrices[1:, ..., :3, 0]
    y0, y1 = matrices[:-1, ..., :3, 1], matrices[1:, ..., :3, 1]
    cross = np.cross(x0, x1)
    cosine = np.sum(x0 * x1, axis=-1, keepdims=True)
    # Rodrigues' formula for the turn x0 -> x1, applied to y0
    carried = y0 * cosine + np.cross(cross, y0) + cross * np.sum(cross * y0, axis=-1, keepdims=True) / (1 + cosine)
    turned_round = cosine[..., 0] < -0.9999  # there the smallest turn is not defined, and y is to stay
    carried = np.where(turned_round[..., None], y0, carried)
    angle = np.arctan2(np.sum(np.cross(carried, y1) * x1, axis=-1), np.sum(carried * y1, axis=-1))
    return np.degrees(np.abs(angle))


@dataclass
class Take:
    """A recorded stretch of one character's motion."""
    description: dict
    ticks: np.ndarray  # [ticks]
    bones: np.ndarray  # [ticks][bones][4][4], model space
    root: np.ndarray  # [ticks][4][4], model to world
    particles: dict  # garment: [ticks][particles][3]
    references: dict  # the same

    def garment(self, name):
        return next(garment for garment in self.description["garments"] if garment["name"] == name)

    def bone_matrices(self):
        return {bone["name"]: self.bones[:, index] for index, bone in enumerate(self.description["bones"])}

    def depths(self, name):
        """{collider: [ticks][particles]} of the colliders that the garment meets."""
        matrices = self.bone_matrices()
        colliders = (self.description["colliders"][index] for index in self.garment(name)["colliders"])
        return {collider["name"]: collider_depth(collider, self.particles[name], matrices, self.root)
                for collider in colliders}

    def relative_speed(self, name, rate=60):
        """Speed of each particle relative to the body it hangs on, m/s, [ticks-1][particles]."""
        return np.linalg.norm(np.diff(self.particles[name] - self.references[name], axis=0), axis=-1) * rate


class Recorder:
    """Steps a paused server and records one character, as streamed in model space with seven decimals."""

    def __init__(self, client, character):
        self.client, self.character = client, character
        self.description = client.request("character.describe", character=character)
        seen = {"characters": [character], "precision": 7, "static": False}
        root = self.description["bones"][0]["name"]
        self.view = client.subscribe(**seen, space="model", particles=True, references=True)["view"]
        self.world_view = client.subscribe(**seen, bones=[root])["view"]

    def record(self, ticks, chunk=150):
        left, begun = ticks, self.client.request("session.ping")["tick"]
        self.begin()
        while left > 0:
            for frame in self.client.step(min(chunk, left)):
                if frame["tick"] > begun:  # the frame that every subscription begins with is of the tick before
                    self.add(frame)
            left -= chunk
        return self.take()

    def begin(self):
        self.names = [garment["name"] for garment in self.description["garments"]]
        references = [f"{name}'s" for name in self.names]
        self.collected = {key: [] for key in ("ticks", "bones", "root", *self.names, *references)}

    def add(self, frame):
        if frame["view"] == self.world_view:
            self.collected["root"].append(frame["bones"][0])
        elif frame["view"] == self.view:
            self.collected["ticks"].append(frame["tick"])
            self.collected["bones"].append(np.array(frame["bones"]))
            for name in self.names:
                self.collected[name].append(np.array(frame["particles"][name]).reshape(-1, 3))
                self.collected[f"{name}'s"].append(np.array(frame["references"][name]).reshape(-1, 3))

    def take(self):
        bones = to_matrices(self.collected["bones"])
        root = to_matrices(self.collected["root"]) @ np.linalg.inv(bones[:, 0])
        return Take(self.description, np.array(self.collected["ticks"]), bones, root,
                    {name: np.array(self.collected[name]) for name in self.names},
                    {name: np.array(self.collected[f"{name}'s"]) for name in self.names})
