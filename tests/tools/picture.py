#!/usr/bin/env python3
"""A contact sheet of a scene as it is streamed: front and side of one character at six moments, or all at one.

Starts the server paused and steps it, so that the same scene gives the same picture. Cloth is drawn from the streamed
particles, the body from its colliders, with the skeleton as thin lines and each cloth bone's x, y, z in red, green and
blue. Below each moment, the worst since the moment before: stretch of a vertical link, depth of a particle in a
collider, and depth of the middles of the triangles between particles. With --all, each at that moment.
"""
import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.collections import LineCollection, PolyCollection  # noqa: E402
from PIL import Image, ImageOps  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "integration"))
from geometry import Recorder, Take, collider_depth, quaternion_matrix, record_together, vertical_stretch  # noqa: E402
from harness import ROOT, RpcError, Server, StartFailure  # noqa: E402

BODY, FRAME = np.array([0.84, 0.79, 0.73]), np.array([0.62, 0.60, 0.58])
DRESSED = np.array([0.58, 0.46, 0.34])
CLOTHS = [np.array(color) for color in ((0.46, 0.35, 0.24), (0.30, 0.36, 0.44), (0.36, 0.42, 0.30))]
PAPER, INK, SHADOW, GROUND = "#f8f4f0", "#2b2a28", "#ded9d0", "#9a948a"
LIGHT = np.array([-0.35, 0.65, 0.70]) / np.linalg.norm([-0.35, 0.65, 0.70])  # in the view: right, up, to the viewer
ELEVATION = np.radians(7)
DPI = 110
CELL, OVERSAMPLING, BELOW = 270, 2, 0.1  # pixels across a cell; samples across a pixel; metres shown below the ground
WIDEST = 65000  # pixels across a sheet; matplotlib draws less than 65536
VIEWS = {"front": np.eye(3), "side": np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0.0]])}  # rows: right, up, to the viewer


# --- what is drawn: lists of triangles with a normal a corner ---


def smooth_normals(points, triangles):
    corners = points[triangles]
    face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(points)
    for corner in range(3):
        np.add.at(normals, triangles[:, corner], face)
    return normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)


def samples(corners, normals, area):
    """Points spread evenly over the triangles, one to each `area`, and the normals there."""
    sizes = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    ends = np.cumsum(sizes)
    index = np.arange(int(ends[-1] / area) + 1)
    triangle = np.searchsorted(ends, (index + 0.5) / len(index) * ends[-1])
    u, v = (index * 0.7548776662) % 1, (index * 0.5698402910) % 1  # Roberts' R2 sequence: even, without a pattern
    u, v = np.where(u + v > 1, 1 - u, u), np.where(u + v > 1, 1 - v, v)
    weights = np.stack([1 - u - v, u, v], axis=1)[:, :, None]
    return (weights * corners[triangle]).sum(axis=1), (weights * normals[triangle]).sum(axis=1)


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
        points = np.concatenate([corners.reshape(-1, 3) for corners, *_ in self.surfaces()])
        low, high = points.min(axis=0), points.max(axis=0)
        self.from_model[[0, 2], 3] -= (low + high)[[0, 2]] / 2  # the camera follows: the figure is in the middle
        self.bones = self.from_model @ take.bones[tick]
        self.reach, self.top = max((high - low)[[0, 2]]) / 2, high[1]

    def points(self, model_points):
        return model_points @ self.from_model[:3, :3].T + self.from_model[:3, 3]

    def surfaces(self):
        """(corners, normals, color, is cloth) of everything that has a surface."""
        names = [bone["name"] for bone in self.take.description["bones"]]
        dressed = self.dressed_bones()
        for collider in self.take.description["colliders"]:
            if collider["shape"] != "plane":
                bone = self.bones[names.index(collider["bone"])]
                color = DRESSED if collider["bone"] in dressed else BODY
                yield *round_surface(collider_points(collider) @ bone[:3, :3].T + bone[:3, 3]), color, False
        for start, end in self.skeleton_lines():
            yield *round_surface(capsule_mesh(start, end, 0.012, 0.009)), FRAME, False
        for strand in self.strands():
            for start, end in zip(strand, strand[1:]):
                yield *round_surface(capsule_mesh(start, end, 0.004, 0.022)), CLOTHS[0], False
        sheets = [garment for garment in self.take.description["garments"] if garment["triangles"]]
        for number, garment in enumerate(sheets):
            points = self.points(self.take.particles[garment["name"]][self.tick])
            triangles = np.array(garment["triangles"]).reshape(-1, 3)
            normals = smooth_normals(points, triangles)
            yield points[triangles], normals[triangles], CLOTHS[number % len(CLOTHS)], True

    def dressed_bones(self):
        """The skeleton's bones that carry or lie under driven bones, or carry cloth: a garment's mesh covers them."""
        bones = self.take.description["bones"]
        layer = [bone for bone in bones if bone["kind"] in ("driven", "cloth") and bone["parent"] >= 0]
        at, over = (np.array([bone["rest"][12:15] for bone in some]).reshape(-1, 1, 3) for some in (bones, layer))
        is_under = (np.abs(at - over.swapaxes(0, 1)) < 0.01).all(axis=2).any(axis=1)
        under = [bones[bone["parent"]] for bone in layer] + [bone for bone, is_one in zip(bones, is_under) if is_one]
        return {bone["name"] for bone in under if bone["kind"] == "skeleton"}

    def skeleton_lines(self):
        bones = self.take.description["bones"]
        lines = np.array([(self.bones[bone["parent"], :3, 3], self.bones[index, :3, 3])
                          for index, bone in enumerate(bones) if bone["kind"] == "skeleton" and bone["parent"] >= 0])
        lines = lines.reshape(-1, 2, 3)
        return lines[np.linalg.norm(lines[:, 1] - lines[:, 0], axis=-1) > 1e-6]  # some bones lie on their parent

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


def render(moment, camera, reach, top, cell):
    """The surfaces as seen by the camera, [height][width][rgba]: each sample in its pixel, the nearest one wins."""
    pixel = 2 * reach / (cell * OVERSAMPLING)
    shape = (int(np.ceil((top + BELOW) / pixel / OVERSAMPLING)) * OVERSAMPLING, cell * OVERSAMPLING)
    seen, colors = [], []
    for corners, normals, color, is_cloth in moment.surfaces():
        if not is_cloth:
            front = (normals @ camera[2] > 0).any(axis=1)
            corners, normals = corners[front], normals[front]
        points, normals = (array @ camera.T for array in samples(corners, normals, pixel**2 / 4))
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
        is_back = normals[:, 2] < 0
        if is_cloth:
            normals = np.where(is_back[:, None], -normals, normals)
        seen.append(points)
        colors.append(shade(color, normals, is_back & is_cloth))
    seen, colors = np.concatenate(seen), np.concatenate(colors)
    order = np.argsort(seen[:, 2])
    column = np.floor((seen[order, 0] + reach) / pixel).astype(int)
    row = np.floor((seen[order, 1] + BELOW) / pixel).astype(int)
    inside = (column >= 0) & (column < shape[1]) & (row >= 0) & (row < shape[0])
    image = np.zeros((*shape, 4))
    image[row[inside], column[inside]] = np.column_stack([colors, np.ones(len(colors))])[order][inside]
    blocks = image.reshape(shape[0] // OVERSAMPLING, OVERSAMPLING, cell, OVERSAMPLING, 4).mean(axis=(1, 3))
    blocks[..., :3] /= np.maximum(blocks[..., 3:], 1e-9)
    return blocks, shape[0] * pixel - BELOW


def draw(axes, moment, view, reach, top, cell):
    tilt = np.array([[1, 0, 0], [0, np.cos(ELEVATION), -np.sin(ELEVATION)], [0, np.sin(ELEVATION), np.cos(ELEVATION)]])
    camera = tilt @ VIEWS[view]

    def project(points):
        return (np.asarray(points) @ camera.T)[..., :2]

    shadows = np.concatenate([project(corners * [1, 0, 1]) for corners, *_ in moment.surfaces()])
    axes.add_collection(PolyCollection(shadows, facecolors=SHADOW, edgecolors=SHADOW, linewidths=0.5))
    image, upper = render(moment, camera, reach, top, cell)
    axes.imshow(image, extent=(-reach, reach, -BELOW, upper), origin="lower", zorder=2)
    skeleton = project(moment.skeleton_lines())
    axes.add_collection(LineCollection(skeleton, colors=INK, linewidths=0.5, alpha=0.3, zorder=3))
    bones = moment.cloth_bones()
    bones = bones[bones[:, :3, 2] @ camera[2] > 0.15]  # only those that face the viewer
    for axis, color in enumerate(("#d2402f", "#2f9e57", "#3a6fc4")):
        ends = bones[:, :3, 3] + 0.03 * bones[:, :3, axis]
        lines = np.stack([project(bones[:, :3, 3]), project(ends)], axis=1)
        axes.add_collection(LineCollection(lines, colors=color, linewidths=0.7, zorder=3))
    axes.axhline(0, color=GROUND, linewidth=0.8, zorder=0)
    axes.set_xlim(-reach, reach)
    axes.set_ylim(-BELOW, top)
    axes.set_aspect("equal")
    axes.axis("off")


def worst(take, begin, end):
    """The worst from tick to tick, over all garments: stretch of vertical links, depth of free particles, and depth of
    the middles of triangles, in metres."""
    stretch = depth = between = 0.0
    matrices = {name: matrix[begin:end] for name, matrix in take.bone_matrices().items()}
    for garment in take.description["garments"]:
        points, rows = take.particles[garment["name"]][begin:end], garment["rows"]
        if rows > 1:
            rest = np.array(garment["rest"]).reshape(-1, 3)
            stretch = max(stretch, vertical_stretch(points, rest, rows, garment["columns"]).max())
        free = np.setdiff1d(np.arange(points.shape[1]), garment["pinned"])
        middles = points[:, np.array(garment["triangles"], int).reshape(-1, 3)].mean(axis=2)
        for index in garment["colliders"]:
            both = np.concatenate([points[:, free], middles], axis=1)
            depths = collider_depth(take.description["colliders"][index], both, matrices, take.root[begin:end])
            depth = max(depth, depths[:, :len(free)].max(initial=0))
            between = max(between, depths[:, len(free):].max(initial=0))
    return stretch, depth, between


class Column(NamedTuple):
    """What stands above each other on the sheet: a moment of a take from each side."""
    take: Take
    tick: int
    since: int  # the tick from which on the worst is looked for
    caption: str


def draw_sheet(columns, title, ground, cell, output):
    moments = [Moment(column.take, column.tick, ground) for column in columns]
    reach = max(moment.reach for moment in moments) + 0.04
    top = max(moment.top * np.cos(ELEVATION) + moment.reach * np.sin(ELEVATION) for moment in moments) + 0.02
    width = cell / DPI
    height = len(VIEWS) * width * (top + BELOW) / (2 * reach)
    figure = plt.figure(figsize=(width * len(moments), height + 1.15), facecolor=PAPER)
    cells = figure.subplots(len(VIEWS), len(moments), squeeze=False)
    figure.subplots_adjust(left=0, right=1, bottom=0.5 / (height + 1.15), top=1 - 0.6 / (height + 1.15), wspace=0,
                           hspace=0.02)
    for place, (column, moment) in enumerate(zip(columns, moments)):
        for row, view in enumerate(VIEWS):
            draw(cells[row][place], moment, view, reach, top, cell)
        stretch, depth, between = worst(column.take, column.since, column.tick + 1)
        cells[0][place].set_title(column.caption, fontsize=9, color=INK, pad=1)
        measures = f"stretch {stretch:.1e}, depth {1000 * depth:.3f} mm\nbetween particles {1000 * between:.1f} mm"
        cells[-1][place].text(0.5, 0, measures, fontsize=7.5 * min(1, cell / CELL), color=INK, ha="center", va="top",
                              transform=cells[-1][place].transAxes)
    for row, view in enumerate(VIEWS):
        cells[row][0].text(0.04, 0.5, view, rotation=90, fontsize=9, color=INK, ha="left", va="center",
                           transform=cells[row][0].transAxes)
    figure.suptitle(title, fontsize=11, color=INK, y=1 - 0.12 / (height + 1.15))
    output.parent.mkdir(parents=True, exist_ok=True)
    figure.set_dpi(DPI)
    figure.canvas.draw()
    sheet = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB")
    ImageOps.posterize(sheet, 6).save(output, optimize=True)  # the eye misses nothing, and the file is half as large


# --- from the stream ---

TOUR = {"walk": 5.0, "dodge": 8.0}  # a scene whose character knows these commands shows them, unless told otherwise


def parse_arguments():
    def seconds(text):
        value = float(text)
        if not 0 <= value <= 3600:
            raise argparse.ArgumentTypeError(f"expected 0 to 3600 s, not {text}")
        return value

    def times(text):
        return sorted(seconds(part) for part in text.split(","))

    def call(text):
        at, _, command = text.partition("=")
        return seconds(at), command

    def pixels(text):
        value = int(text)
        if not 16 <= value <= 1024:
            raise argparse.ArgumentTypeError(f"expected 16 to 1024 pixels, not {text}")
        return value

    def image(text):
        if Path(text).suffix not in Image.registered_extensions():
            raise argparse.ArgumentTypeError(f"expected the name of an image, such as x.png, not {text}")
        return Path(text)

    parser = argparse.ArgumentParser(prog="./dev picture", description=__doc__.splitlines()[0])
    parser.add_argument("scene", type=Path)
    parser.add_argument("--character", help="default: the target of the scene's camera, or the first")
    parser.add_argument("--all", action="store_true", help="all characters beside each other, at the last of the times")
    parser.add_argument("--scripts", type=Path, help="the folder of scripts, as `tweed serve` takes it")
    parser.add_argument("--cell", type=pixels, default=CELL, help="pixels across each picture (default: %(default)s)")
    parser.add_argument("--times", type=times, default="0.7,1.4,2,6.5,8.3,8.7",
                        help="seconds, separated by commas (default: %(default)s)")
    parser.add_argument("--call", type=call, action="append", metavar="SECONDS=COMMAND",
                        help="call a command of the character; may be repeated. Default: walk at 5 s, dodge at 8 s, where "
                             "it knows them; --call 0= calls nothing")
    parser.add_argument("--output", type=image, default=ROOT / "build/picture.png", help="default: %(default)s")
    return parser.parse_args()


def record(client, characters, times, calls, rate, begin):
    """Steps to the last of the times, calling on the way. Gives the take of each character from tick `begin` on."""
    ends = {max(round(seconds * rate), 1) for seconds in [*times, *(seconds for seconds, _ in calls)]}
    recorders, takes, tick, views = [], [], 0, {}
    for end in sorted({begin, *ends} - {0}):
        for seconds, command in calls:
            if round(seconds * rate) == tick:
                for character in characters:
                    client.request("character.call", character=character, command=command)
        if tick < begin:
            client.step(end - tick)
        else:
            recorders = recorders or [Recorder(client, name, views) for name in characters]
            takes.append(record_together(recorders, end - tick))
        tick = end
    return [first.joined(later) for first, *later in zip(*takes)]


def called(calls, seconds):
    """The command that was called last."""
    return [f", {command}" for at, command in sorted(calls) if at <= seconds][-1:]


def moments_of_one(take, times, calls, rate):
    ticks = [max(round(seconds * rate) - 1, 0) for seconds in times]
    captions = [f"{seconds:.1f} s{''.join(called(calls, seconds))}" for seconds in times]
    return [Column(take, tick, since, caption) for tick, since, caption
            in zip(ticks, [0, *(tick + 1 for tick in ticks)], captions)]



def main():
    arguments = parse_arguments()
    options = ["--scripts", arguments.scripts] if arguments.scripts else []
    with Server(*options, scene=arguments.scene) as server, server.client(timeout=60) as client:
        about = client.request("server.describe")
        names = [character["name"] for character in client.request("character.list")]
        if not names:
            sys.exit(f"error: {arguments.scene}: the scene has no characters")
        if not arguments.all:
            names = [arguments.character or about["scene"].get("camera", {}).get("target") or names[0]]
        if len(names) * arguments.cell > WIDEST:
            sys.exit(f"error: {len(names)} characters take --cell {WIDEST // len(names)} or less")
        known = set.intersection(*({command["name"] for command in description["commands"]} for description in
                                   (client.request("character.describe", character=name) for name in names)))
        calls = arguments.call or [(at, name) for name, at in TOUR.items() if set(TOUR) <= known]
        calls = [(seconds, command) for seconds, command in calls if command and seconds <= arguments.times[-1]]
        rate, ground = about["tick_rate"], client.request("world.get")["ground"] or 0.0
        last = max(round(arguments.times[-1] * rate), 1)
        takes = record(client, names, arguments.times, calls, rate, last - 1 if arguments.all else 0)
    if arguments.all:
        columns = [Column(take, 0, 0, name) for take, name in zip(takes, names)]
        title = f"{about['scene']['name']}, {last / rate:.1f} s{''.join(called(calls, last / rate))}, {rate} Hz"
    else:
        columns = moments_of_one(takes[0], arguments.times, calls, rate)
        worn = ", ".join(f"{garment['name']} of {garment['fabric']}" for garment in takes[0].description["garments"])
        title = f"{about['scene']['name']}: {names[0]} in {worn or 'nothing'}, {rate} Hz"
    draw_sheet(columns, title, ground, arguments.cell, arguments.output)
    print(arguments.output)


if __name__ == "__main__":
    try:
        main()
    except StartFailure as failure:
        sys.exit(failure.log.strip() or str(failure))
    except RpcError as error:
        sys.exit(f"error: {error.message}")
    except OSError as error:
        sys.exit(f"error: {error}")
