"""The jacket on the moving body, judged from outside, as it is streamed."""
import numpy as np
import pytest
from geometry import Recorder, orthonormality_error, twist_degrees, vertical_stretch
from harness import SANITIZED, Server

RATE = 60
MOCAP = 20 if SANITIZED else 60  # s, of which it jumps again and again
CALM = {"velocity": [0, 0, 0], "turbulence": 0, "gust": 0}


def worst(values, ticks):
    """The largest value, and at which tick: for messages."""
    flat = values.reshape(len(values), -1).max(axis=1)
    return f"{flat.max():.3g} at tick {ticks[np.argmax(flat)]}; {np.count_nonzero(flat > flat.max() / 2)} ticks over half"


@pytest.fixture(scope="module")
def mocap():
    """The mocap as the scene plays it, for MOCAP seconds: the take, and the statistics after it."""
    with Server() as server, server.client() as client:
        try:
            take = Recorder(client, "alan").record(MOCAP * RATE)
        except Exception:
            print(server.log())
            raise
        yield take, client.request("server.stats")


def test_every_tick_is_there(mocap):
    take, _ = mocap
    assert np.array_equal(take.ticks, np.arange(1, MOCAP * RATE + 1))


def test_the_body_moves_as_the_mocap_does(mocap):
    take, _ = mocap
    names = [bone["name"] for bone in take.description["bones"]]
    hips = take.bones[:, names.index("Hips"), 1, 3]
    assert np.ptp(hips) > 0.25, "it jumps"
    assert np.max(np.linalg.norm(np.diff(take.root[:, :3, 3], axis=0), axis=1)) < 0.2, "and goes without a leap"
    assert np.ptp(take.root[:, [0, 2], 3], axis=0).max() > 1, "its way over the ground is the root's"
    floor = min(take.bones[:, index, 1, 3].min() for index in range(len(names)))
    assert floor > -0.25, "and stays on the ground"


def test_vertical_links_do_not_stretch(mocap):
    take, _ = mocap
    for garment in take.description["garments"]:
        name, rest = garment["name"], np.array(garment["rest"]).reshape(-1, 3)
        stretch = vertical_stretch(take.particles[name], rest, garment["rows"], garment["columns"])
        assert stretch.max() <= 1e-4, f"{name}: {worst(stretch, take.ticks)}"


def test_no_particle_is_inside_the_body(mocap):
    take, _ = mocap
    for garment in take.description["garments"]:
        free = np.setdiff1d(np.arange(len(garment["rest"]) // 3), garment["pinned"])
        for collider, depth in take.depths(garment["name"]).items():
            assert depth[:, free].max() <= 1e-3, f"{garment['name']} in {collider}: {worst(depth[:, free], take.ticks)}"


def test_the_skinned_top_row_is_outside_the_body_too(mocap):
    take, _ = mocap
    for collider, depth in take.depths("jacket").items():
        assert depth[:, :17].max() <= 1e-3, f"{collider}: {worst(depth[:, :17], take.ticks)}"


def test_every_particle_keeps_its_max_distance(mocap):
    take, _ = mocap
    for garment in take.description["garments"]:
        if "max_distance" in garment:
            name = garment["name"]
            distance = np.linalg.norm(take.particles[name] - take.references[name], axis=-1)
            excess = distance - np.array(garment["max_distance"])
            assert excess.max() <= 1e-5, f"{name}: {worst(excess, take.ticks)}"


def test_all_bones_are_rigid(mocap):
    take, _ = mocap
    assert np.all(np.isfinite(take.bones))
    error = orthonormality_error(take.bones)
    assert error.max() <= 1e-5, worst(error, take.ticks)


def test_no_cloth_bone_twists_by_more_than_sixty_degrees_in_a_tick(mocap):
    take, _ = mocap
    cloth = [index for index, bone in enumerate(take.description["bones"]) if bone["kind"] == "cloth"]
    twist = twist_degrees(take.bones[:, cloth])
    assert twist.max() <= 60.5, worst(twist, take.ticks[1:])


def test_bones_sit_on_their_particles_and_point_down_the_column(mocap):
    take, _ = mocap
    jacket = take.garment("jacket")
    points = take.particles["jacket"]
    for particle, bone in jacket["bones"]:
        assert np.abs(take.bones[:, bone, :3, 3] - points[:, particle]).max() < 1e-6
        below = points[:, particle + jacket["columns"]] - points[:, particle]
        x = below / np.linalg.norm(below, axis=1, keepdims=True)
        assert np.abs(take.bones[:, bone, :3, 0] - x).max() < 1e-4


def test_bones_turn_with_the_line_that_fits_the_row_and_away_from_the_body(mocap):
    take, _ = mocap
    jacket = take.garment("jacket")
    grid = take.particles["jacket"].reshape(-1, 9, 26, 3)
    for particle, bone in jacket["bones"]:
        row, column = divmod(particle, 26)
        first, last = (0, 25) if row < 5 else (0, 12) if column <= 12 else (13, 25)  # the vent parts the rows from 5 on
        near, far = (grid[:, row, min(column + reach, last)] - grid[:, row, max(column - reach, first)]
                     for reach in (1, 2))
        across = near + 2 * far
        x, y = take.bones[:, bone, :3, 0], take.bones[:, bone, :3, 1]
        across -= x * np.sum(x * across, axis=1, keepdims=True)
        cosine = np.sum(y * across, axis=1) / np.linalg.norm(across, axis=1)
        turned = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
        assert np.quantile(turned, 0.98) < 2, f"{take.description['bones'][bone]['name']}: {worst(turned, take.ticks)}"


def test_nothing_gave_way(mocap):
    _, stats = mocap
    assert (stats["unstable"], stats["constraint_conflicts"]) == (0, 0)


def test_the_edges_are_livelier_than_the_middle(mocap):
    take, _ = mocap
    speed = take.relative_speed("jacket").mean(axis=0).reshape(9, 26)[1:]
    edges, middle = speed[:, [0, 25]].mean(), speed[:, 9:17].mean()
    assert edges > 1.2 * middle, f"{edges:.3f} against {middle:.3f} m/s"


@pytest.fixture
def recorder(client):
    return Recorder(client, "alan")


def test_a_storm_blows_the_jacket_as_far_as_its_max_distance_and_no_further(client):
    client.request("character.play", character="alan", clip="stand", loop=True, fade=0)
    client.request("fabric.set", character="alan", garment="jacket", values={"max_distance": 0.2})
    client.request("world.set", wind={"velocity": [0, 0, -25]})
    client.step(2 * RATE)
    take = Recorder(client, "alan").record(4 * RATE)
    limit = np.array(take.garment("jacket")["max_distance"])
    distance = np.linalg.norm(take.particles["jacket"] - take.references["jacket"], axis=-1)
    assert np.any(distance[:, 26:] > limit[26:] - 1e-5), "it is blown as far as it may"
    assert (distance - limit).max() <= 1e-5, worst(distance - limit, take.ticks)
    assert client.request("server.stats")["constraint_conflicts"] == 0


def test_on_a_still_body_the_jacket_comes_to_rest_and_stays(client, recorder):
    client.request("world.set", wind=CALM)
    recorder.record(120)
    client.request("character.play", character="alan", clip="stand", loop=True, fade=0.2)
    take = recorder.record(20 * RATE)
    body = [index for index, bone in enumerate(take.description["bones"]) if bone["kind"] == "skeleton"]
    assert np.ptp(take.bones[30:, body], axis=0).max() < 1e-5, "stand is still"
    for name, points in take.particles.items():
        acceleration = np.linalg.norm(np.diff(points, 2, axis=0), axis=-1).max(axis=1) * RATE**2
        restless = np.flatnonzero(acceleration >= 0.1)
        assert restless.size == 0 or restless[-1] < 5.2 * RATE, (
            f"{name} moves by {acceleration[5 * RATE + 12:].max():.3g} m/s² after 5 s, the last time at "
            f"{restless[-1] / RATE:.1f} s")


def test_a_dodge_moves_the_jacket_several_times_as_much_as_the_calm_walk(client, recorder):
    client.request("character.call", character="alan", command="walk")
    recorder.record(2 * RATE)
    walk = recorder.record(4 * RATE).relative_speed("jacket")
    client.request("character.call", character="alan", command="dodge")
    dodge = recorder.record(RATE).relative_speed("jacket")
    ratio = dodge[:, 26:].mean() / walk[:, 26:].mean()
    assert ratio >= 3, f"only {ratio:.2f} times: {dodge[:, 26:].mean():.3f} against {walk[:, 26:].mean():.3f} m/s"


@pytest.mark.parametrize("clip", ["jump", "walk", "dodge"])
def test_one_clip_serves_characters_with_and_without_a_jacket(start, tmp_path, clip):
    scene = tmp_path / "two.lua"
    scene.write_text("""local tweed = require "tweed"
return tweed.scene { ground = 0, spawn = {
  { script = "characters/wake", name = "alan", position = {0, 0, 0} },
  { script = "characters/human", name = "barry", position = {2, 0, 0} },
} }
""")
    client = start(scene=scene).client()
    alan, barry = recorders = [Recorder(client, name) for name in ("alan", "barry")]
    for recorder in recorders:
        client.request("character.play", character=recorder.character, clip=clip, loop=True, fade=0)
    frames = client.step(200)
    assert barry.description["garments"] == []
    common = [bone["name"] for bone in barry.description["bones"] if bone["kind"] == "skeleton"]
    assert len(common) > 15

    def skeleton(recorder):
        names = [bone["name"] for bone in recorder.description["bones"]]
        own = [frame["bones"] for frame in frames
               if (frame["view"], frame["character"]) == (recorder.view, recorder.character)]
        return np.array(own)[:, [names.index(name) for name in common]]

    assert np.abs(skeleton(alan) - skeleton(barry)).max() < 1e-6, "the jacket does not change the body"
    assert np.ptp(skeleton(alan), axis=0).max() > 0.1


@pytest.mark.parametrize("rate", [30] if SANITIZED else [30, 120, 240])
def test_the_invariants_hold_at_other_rates(start, rate):
    client = start("--rate", rate).client()
    take = Recorder(client, "alan").record(6 * rate)
    jacket = take.garment("jacket")
    rest = np.array(jacket["rest"]).reshape(-1, 3)
    assert vertical_stretch(take.particles["jacket"], rest, 9, 26).max() <= 1e-4
    assert max(depth[:, 26:].max() for depth in take.depths("jacket").values()) <= 1e-3
    distance = np.linalg.norm(take.particles["jacket"] - take.references["jacket"], axis=-1)
    assert (distance - np.array(jacket["max_distance"])).max() <= 1e-5
    assert orthonormality_error(take.bones).max() <= 1e-5


@pytest.mark.parametrize("motion", ["walk", "jump"])
def test_the_jacket_is_buttoned_and_opened_in_motion(client, motion):
    def call(command):
        client.request("character.call", character="alan", command=command)

    call(motion)
    recorder = Recorder(client, "alan")
    jacket = next(garment for garment in recorder.description["garments"] if garment["name"] == "jacket")
    rows, columns = jacket["rows"], jacket["columns"]

    def gaps(take):
        grid = take.particles["jacket"].reshape(len(take.ticks), rows, columns, 3)
        return np.linalg.norm(grid[:, 1:6, 0] - grid[:, 1:6, columns - 1], axis=-1)

    assert gaps(recorder.record(RATE)).max() > 0.05
    rest = np.array(jacket["rest"]).reshape(-1, 3)
    call("button")
    closing, closed = recorder.record(RATE // 4), recorder.record(6 * RATE)
    call("unbutton")
    opened = recorder.record(RATE)
    assert gaps(closed).max() < 0.005
    assert gaps(opened)[RATE // 2:].max() > 0.03
    for take in (closing, closed, opened):
        assert vertical_stretch(take.particles["jacket"], rest, rows, columns).max() <= 1e-5
