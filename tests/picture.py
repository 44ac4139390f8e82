#!/usr/bin/env python3
"""A contact sheet of a scene as it is streamed: front and side of one character at six moments.

Starts the server paused and steps it, so that the same scene gives the same picture. Cloth is drawn from the streamed
particles, the body from its colliders, with the skeleton as thin lines and each cloth bone's x, y, z in red, green and
blue. Below each moment: the worst stretch of a vertical link and the deepest particle since the moment before.
"""
import argparse
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.collections import LineCollection, PolyCollection  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parent / "integration"))
from geometry import Recorder, quaternion_matrix, vertical_stretch  # noqa: E402
from harness import ROOT, Server  # noqa: E402

BODY, FRAME = np.array([0.84, 0.79, 0.73]), np.array([0.62, 0.60, 0.58])
CLOTHS = [np.array(color) for color in ((0.46, 0.35, 0.24), (0.30, 0.36, 0.44), (0.36, 0.42, 0.30))]
PAPER, INK, SHADOW, GROUND = "#f7f5f1", "#2b2a28", "#ded9d0", "#9a948a"
LIGHT = np.array([-0.35, 0.65, 0.70]) / np.linalg.norm([-0.35, 0.65, 0.70])  # in the view: right, up, to the viewer
ELEVATION = np.radians(7)
VIEWS = {"front": np.eye(3), "side": np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0.0]])}  # rows: right, up, to the viewer


# --- what is drawn: lists of triangles with a normal a corner ---


def smooth_normals(points, triangles):
    corners = points[triangles]
    face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(points)
    for corner in range(3):
        np.add.at(normals, triangles[:, corner], face)
    return normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)


def subdivide(corners, normals, times):
    """Splits each triangle in four, so that sorting and shading are finer; the surface stays as it is."""
    for _ in range(times):
        middle, middle_normal = ((array + array[:, [1, 2, 0]]) / 2 for array in (corners, normals))
        corners, normals = (
            np.concatenate([np.stack(part, axis=1) for part in (
                (whole[:, 0], half[:, 0], half[:, 2]), (whole[:, 1], half[:, 1], half[:, 0]),
                (whole[:, 2], half[:, 2], half[:, 1]), (half[:, 0], half[:, 1], half[:, 2]))])
            for whole, half in ((corners, middle), (normals, middle_normal)))
    return corners, normals


def sphere_mesh(rings=14, segments=22):
    angle, height = np.meshgrid(np.linspace(0, 2 * np.pi, segments + 1), np.linspace(0, np.pi, rings + 1))
    points = np.stack([np.sin(height) * np.cos(angle), np.cos(height), np.sin(height) * np.sin(angle)], axis=-1)
    index = np.arange(points[..., 0].size).reshape(height.shape)
    a, b, c, d = index[:-1, :-1].ravel(), index[:-1, 1:].ravel(), index[1:, 1:].ravel(), index[1:, :-1].ravel()
    return points.reshape(-1, 3), np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


SPHERE, SPHERE_TRIANGLES = sphere_mesh()


def capsule_mesh(start, end, radius, radius_end):
    """The sphere's mesh, with its halves on the two ends: the rings meet the cone that touches both spheres."""
    axis = np.asarray(end, float) - start
    length = np.linalg.norm(axis)
    slope = np.clip((radius - radius_end) / max(length, 1e-9), -1, 1)
    up = axis / max(length, 1e-9)
    side = np.cross(up, [1, 0, 0] if abs(up[0]) < 0.8 else [0, 0, 1])
    side /= np.linalg.norm(side)
    at_end = SPHERE[:, 1] > slope
    turned = SPHERE @ np.stack([side, up, np.cross(side, up)])
    return np.where(at_end[:, None], np.asarray(end) + radius_end * turned, np.asarray(start) + radius * turned)


def collider_points(collider):
    """The collider's surface in its bone's space."""
    if collider["shape"] == "ellipsoid":
        return SPHERE * collider["radii"] @ quaternion_matrix(collider["rotation"]).T + collider["center"]
    if collider["shape"] == "sphere":
        return SPHERE * collider["radius"] + collider["center"]
    return capsule_mesh(collider["from"], collider["to"], collider["radius"], collider["radius_end"])


def round_surface(points):
    return points[SPHERE_TRIANGLES], smooth_normals(points, SPHERE_TRIANGLES)[SPHERE_TRIANGLES]


class Moment:
    """One tick of a take, in a frame that stands on the ground under the character and turns with its heading."""

    def __init__(self, take, tick, ground):
        self.take, self.tick = take, tick
        root = take.root[tick]
        heading = np.arctan2(root[0, 2], root[2, 2])
        turn = np.array([[np.cos(heading), 0, -np.sin(heading)], [0, 1, 0], [np.sin(heading), 0, np.cos(heading)]])
        self.from_model = np.eye(4)
        self.from_model[:3, :3] = turn @ root[:3, :3]
        self.from_model[1, 3] = root[1, 3] - ground
        self.bones = self.from_model @ take.bones[tick]

    def points(self, model_points):
        return model_points @ self.from_model[:3, :3].T + self.from_model[:3, 3]

    def surfaces(self):
        """(corners, normals, color, is cloth) of everything that has a surface."""
        names = [bone["name"] for bone in self.take.description["bones"]]
        for collider in self.take.description["colliders"]:
            if collider["shape"] != "plane":
                bone = self.bones[names.index(collider["bone"])]
                yield *round_surface(collider_points(collider) @ bone[:3, :3].T + bone[:3, 3]), BODY, False
        for start, end in self.skeleton_lines():
            yield *round_surface(capsule_mesh(start, end, 0.012, 0.009)), FRAME, False
        for strand in self.strands():
            for start, end in zip(strand, strand[1:]):
                yield *round_surface(capsule_mesh(start, end, 0.004, 0.022)), CLOTHS[0], False
        sheets = [garment for garment in self.take.description["garments"] if garment["triangles"]]
        for number, garment in enumerate(sheets):
            points = self.points(self.take.particles[garment["name"]][self.tick])
            triangles = np.array(garment["triangles"]).reshape(-1, 3)
            corners, normals = subdivide(points[triangles], smooth_normals(points, triangles)[triangles], 2)
            yield corners, normals, CLOTHS[number % len(CLOTHS)], True

    def skeleton_lines(self):
        bones = self.take.description["bones"]
        return np.array([(self.bones[bone["parent"], :3, 3], self.bones[index, :3, 3])
                         for index, bone in enumerate(bones) if bone["kind"] == "skeleton" and bone["parent"] >= 0])

    def strands(self):
        """Pendulums and chains, as lines down their particles."""
        return [self.points(self.take.particles[garment["name"]][self.tick])
                for garment in self.take.description["garments"] if not garment["triangles"]]

    def cloth_bones(self):
        kinds = [bone["kind"] for bone in self.take.description["bones"]]
        return self.bones[[index for index, kind in enumerate(kinds) if kind == "cloth"]]


# --- drawing ---


def shade(color, normals, is_back):
    """Lambert from a key light and a weak fill from below, over an even ambient."""
    key = np.clip(normals @ LIGHT, 0, 1)
    fill = np.clip(normals @ np.array([0.6, -0.3, 0.75]), 0, 1)
    light = 0.42 + 0.55 * key + 0.12 * fill
    return np.clip(np.asarray(color) * (light * np.where(is_back, 0.55, 1.0))[:, None], 0, 1)


def draw(axes, moment, view, reach, top):
    tilt = np.array([[1, 0, 0], [0, np.cos(ELEVATION), -np.sin(ELEVATION)], [0, np.sin(ELEVATION), np.cos(ELEVATION)]])
    camera = tilt @ VIEWS[view]

    def project(points):
        return (np.asarray(points) @ camera.T)[..., :2]

    polygons, colors, depths, shadows = [], [], [], []
    for corners, normals, color, is_cloth in moment.surfaces():
        seen, turned = corners @ camera.T, normals.mean(axis=1) @ camera.T
        facing = np.cross(seen[:, 1] - seen[:, 0], seen[:, 2] - seen[:, 0])[:, 2]
        if is_cloth:
            is_back = facing < 0
            turned = np.where(is_back[:, None], -turned, turned)
        else:
            outward = turned[:, 2] > 0
            seen, turned, is_back = seen[outward], turned[outward], np.zeros(np.count_nonzero(outward), bool)
        turned = turned / np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-12)
        polygons.append(seen[..., :2])
        depths.append(seen[..., 2].mean(axis=1))
        colors.append(shade(color, turned, is_back))
        shadows.append(project(corners * [1, 0, 1]))
    axes.add_collection(PolyCollection(np.concatenate(shadows), facecolors=SHADOW, edgecolors=SHADOW, linewidths=0.5))
    order = np.argsort(np.concatenate(depths))
    fill = np.concatenate(colors)[order]
    axes.add_collection(PolyCollection(np.concatenate(polygons)[order], facecolors=fill, edgecolors=fill,
                                       linewidths=0.25))
    axes.add_collection(LineCollection(project(moment.skeleton_lines()), colors=INK, linewidths=0.5, alpha=0.3))
    bones = moment.cloth_bones()
    bones = bones[bones[:, :3, 2] @ camera[2] > 0.15]  # only those that face the viewer
    for axis, color in enumerate(("#c0392b", "#1e8449", "#2e5fa8")):
        ends = bones[:, :3, 3] + 0.03 * bones[:, :3, axis]
        lines = np.stack([project(bones[:, :3, 3]), project(ends)], axis=1)
        axes.add_collection(LineCollection(lines, colors=color, linewidths=0.7))
    axes.axhline(0, color=GROUND, linewidth=0.8, zorder=0)
    axes.set_xlim(-reach, reach)
    axes.set_ylim(-0.1, top)
    axes.set_aspect("equal")
    axes.axis("off")


def worst(take, begin, end):
    """The worst stretch and depth from tick to tick, of all garments' free particles."""
    stretch = depth = 0.0
    for garment in take.description["garments"]:
        name, rows, columns = garment["name"], garment["rows"], garment["columns"]
        if rows > 1:
            rest = np.array(garment["rest"]).reshape(-1, 3)
            stretch = max(stretch, vertical_stretch(take.particles[name][begin:end], rest, rows, columns).max())
        free = np.setdiff1d(np.arange(len(garment["rest"]) // 3), garment["pinned"])
        depth = max([depth, *(values[begin:end, free].max() for values in take.depths(name).values())])
    return stretch, depth


def extent(moments):
    """Half the width and the height that hold the character at all moments, in metres."""
    points = np.concatenate([corners.reshape(-1, 3) for moment in moments for corners, *_ in moment.surfaces()])
    reach = np.abs(points[:, [0, 2]]).max()
    return reach + 0.05, points[:, 1].max() * np.cos(ELEVATION) + reach * np.sin(ELEVATION) + 0.03


def draw_sheet(take, ticks, captions, title, ground, output):
    moments = [Moment(take, tick, ground) for tick in ticks]
    reach, top = extent(moments)
    width = 2.2 * len(moments)
    height = len(VIEWS) * 2.2 * (top + 0.1) / (2 * reach)
    figure = plt.figure(figsize=(width, height + 1.15), facecolor=PAPER)
    cells = figure.subplots(len(VIEWS), len(moments), squeeze=False)
    figure.subplots_adjust(left=0, right=1, bottom=0.5 / (height + 1.15), top=1 - 0.6 / (height + 1.15), wspace=0, hspace=0.02)
    for column, moment in enumerate(moments):
        for row, view in enumerate(VIEWS):
            draw(cells[row][column], moment, view, reach, top)
        stretch, depth = worst(take, ticks[column - 1] + 1 if column else 0, ticks[column] + 1)
        cells[0][column].set_title(captions[column], fontsize=9, color=INK, pad=1)
        cells[-1][column].text(0.5, 0, f"stretch {stretch:.1e}\ndepth {1000 * depth:.3f} mm", fontsize=8, color=INK,
                               ha="center", va="top", transform=cells[-1][column].transAxes)
    for row, view in enumerate(VIEWS):
        cells[row][0].text(0.04, 0.5, view, rotation=90, fontsize=9, color=INK, ha="left", va="center",
                           transform=cells[row][0].transAxes)
    figure.suptitle(title, fontsize=11, color=INK, y=1 - 0.12 / (height + 1.15))
    output.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(output, dpi=110, facecolor=PAPER)


# --- from the stream ---

TOUR = {"walk": 5.0, "dodge": 8.0}  # a scene whose character knows these commands shows them, unless told otherwise


def parse_arguments():
    def pair(text):
        seconds, _, command = text.partition("=")
        return float(seconds), command

    parser = argparse.ArgumentParser(prog="./dev picture", description=__doc__.splitlines()[0])
    parser.add_argument("scene", type=Path)
    parser.add_argument("--character", help="default: the target of the scene's camera, or the first")
    parser.add_argument("--times", type=lambda text: [float(part) for part in text.split(",")],
                        default=[0.5, 2.0, 3.2, 4.4, 7.0, 8.4], help="seconds, separated by commas (default: %(default)s)")
    parser.add_argument("--call", type=pair, action="append", metavar="SECONDS=COMMAND",
                        help="call a command of the character; may be repeated. Default: walk at 5 s, dodge at 8 s, where "
                             "it knows them; --call 0= calls nothing")
    parser.add_argument("--output", type=Path, default=ROOT / "build/picture.png", help="default: %(default)s")
    return parser.parse_args()


def record(client, character, times, calls, rate):
    """Steps to the last of the times, calling on the way. Gives the take and the name of the last call at each time."""
    recorder = Recorder(client, character)
    ends = sorted({round(seconds * rate) for seconds in [*times, *(seconds for seconds, _ in calls)] if seconds > 0})
    takes, tick = [], 0
    for end in ends:
        for seconds, command in calls:
            if round(seconds * rate) == tick:
                client.request("character.call", character=character, command=command)
        takes.append(recorder.record(end - tick))
        tick = end
    return takes[0].joined(takes[1:])


def main():
    arguments = parse_arguments()
    with Server(scene=arguments.scene) as server, server.client() as client:
        about = client.request("server.describe")
        character = arguments.character or about["scene"].get("camera", {}).get("target")
        character = character or client.request("character.list")[0]["name"]
        known = {command["name"] for command in client.request("character.describe", character=character)["commands"]}
        calls = arguments.call or [(at, name) for name, at in TOUR.items() if set(TOUR) <= known]
        calls = [(seconds, command) for seconds, command in calls if command]
        rate, ground = about["tick_rate"], client.request("world.get")["ground"] or 0.0
        times = sorted(arguments.times)
        take = record(client, character, times, calls, rate)
    captions = []
    for seconds in times:
        called = [f", {command}" for at, command in sorted(calls) if at <= seconds]
        captions.append(f"{seconds:.1f} s{called[-1] if called else ''}")
    ticks = [max(round(seconds * rate) - 1, 0) for seconds in times]
    garments = ", ".join(f"{garment['name']} of {garment['fabric']}" for garment in take.description["garments"])
    draw_sheet(take, ticks, captions, f"{about['scene']['name']}: {character} in {garments or 'nothing'}, {rate} Hz", ground,
               arguments.output)
    print(arguments.output)


if __name__ == "__main__":
    main()
