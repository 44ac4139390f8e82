"""Files that go between tweed and Blender, by Blender's own importer and exporter of glTF."""
import json

import numpy as np
import pytest
from conftest import INSIDE, run_blender
from geometry import Recorder, vertical_stretch
from harness import SANITIZED, WAKE, light_assets, run

TICKS = 60


def test_a_baked_shot_opens_as_it_is_streamed(start, blender, tmp_path):
    shot = tmp_path / "walk.glb"
    done = run("bake", WAKE, "--seconds", "1", "--out", shot, "--position-error", "0", "--rotation-error", "0",
               *(light_assets() if SANITIZED else []))
    assert done.returncode == 0, done.stderr
    print(blender("baked.py", start().address[1], shot, "alan"))


CHARACTER = """local tweed = require "tweed"
local humanoid = require "rigs.humanoid"
local gait = require "rigs.gait"
local jacket = require "garments.jacket"
local jacket_upper = require "garments.jacket_upper"
local man = humanoid { file = "man.glb" }
return tweed.character {
  skeleton = man.skeleton,
  colliders = man.colliders,
  clips = { walk = gait.walk { body = man }, own = tweed.clip { file = "man.glb" } },
  driven = jacket_upper { body = man },
  garments = { jacket { body = man, fabric = "tweed", upper = true } },
  on_spawn = function(self) self:play("walk", { loop = true, fade = 0 }) end,
}
"""


@pytest.fixture(scope="module", params=["mixamo", "rigify"])
def folder(request, installed, tmp_path_factory):
    """A folder of scripts and assets, with a man as Blender exports him, and a script that dresses him."""
    folder = tmp_path_factory.mktemp(request.param)
    run_blender(installed, "-b", "--python", str(INSIDE / "humanoids.py"), "--", str(folder / "man.glb"), request.param)
    (folder / "characters").mkdir()
    (folder / "characters/man.lua").write_text(CHARACTER)
    return folder


def test_a_man_of_blenders_is_a_humanoid(folder):
    done = run("check", folder / "characters/man.lua", "--assets", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(run("inspect", "--json", folder / "man.glb").stdout)
    assert found["humanoid"] is True and [clip["name"] for clip in found["clips"]] == ["walk"]


@pytest.mark.parametrize("clip", ["walk", "own"])
def test_a_man_of_blenders_walks_in_a_jacket(start, folder, clip):
    client = start("--assets", folder, scene=folder / "characters/man.lua").client()
    client.request("character.play", character="man", clip=clip, loop=True, fade=0)
    take = Recorder(client, "man").record(TICKS)
    jacket = take.garment("jacket")
    points, rest = take.particles["jacket"], np.array(jacket["rest"]).reshape(-1, 3)
    assert len(take.ticks) == TICKS and np.isfinite(take.bones).all() and np.isfinite(points).all()
    moved = np.ptp(take.bones[:, :, :3, 3], axis=0).max()
    travelled = np.linalg.norm(np.ptp(take.root[:, :3, 3], axis=0))
    stretch = vertical_stretch(points, rest, jacket["rows"], jacket["columns"]).max()
    free = np.setdiff1d(np.arange(len(rest)), jacket["pinned"])
    depth = max(depth[:, free].max() for depth in take.depths("jacket").values())
    print(f"{clip}: bones move {moved:.2f} m and {travelled:.2f} m on, stretch {stretch:.1e}, depth {depth:.1e} m")
    assert moved > .2 and travelled > .5
    assert stretch <= 1e-5 and depth <= 1e-5
    assert client.request("server.stats")["unstable"] == 0
