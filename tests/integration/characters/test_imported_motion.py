"""Motion out of each format that characters come in: BVH, X, FBX and glTF, of Debian's assimp-testmodels."""
import base64
import json
from pathlib import Path

import numpy as np
import pytest

MODELS = Path("/usr/share/assimp/models")
FILES = {"BVH/01_01.bvh": 30, "X/Testwuson.X": 20, "FBX/animation_with_skeleton.fbx": 2,
         "glTF2/simple_skin/simple_skin.gltf": 2}

CHARACTER = """
local tweed = require "tweed"
return tweed.character {{
  skeleton = tweed.import "{file}",
  clips = {{ motion = tweed.clip {{ file = "{file}" }} }},
}}
"""


@pytest.fixture(params=FILES)
def moving(request, start, tmp_path):
    """The file, and a function that gives its bones' rotations in their parents' spaces at a time of its motion."""
    (tmp_path / "one.lua").write_text(CHARACTER.format(file=request.param))
    client = start(scene=tmp_path / "one.lua").client()
    client.subscribe(space="parent", layout="trs", precision=7)

    def at(time):
        client.request("character.play", character="one", clip="motion", at=time, speed=0, fade=0)
        return np.array(client.step(1)[-1]["bones"])

    return request.param, at


def test_a_file_moves_its_skeleton(moving):
    name, at = moving
    begin, later = at(0), at(.7)
    assert len(begin) >= FILES[name]
    assert np.isfinite(later).all()
    assert np.abs(later[:, 3:7] - begin[:, 3:7]).max() > .01
    assert np.abs(at(0) - begin).max() == 0
    if name.endswith(".gltf"):  # against the file's own keys: 12 times, 12 rotations
        document = json.loads((MODELS / name).read_text())
        data = base64.b64decode(document["buffers"][3]["uri"].split(",")[1])
        numbers = np.frombuffer(data, np.float32)
        for time, key in zip(numbers[:12], numbers[12:].reshape(12, 4)):
            found = at(float(time))[-1][3:7]
            assert min(np.abs(found - key).max(), np.abs(found + key).max()) < 2e-3
