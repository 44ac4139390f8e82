"""The golden transcripts of protocol/samples, replayed against a fresh server: whole, and byte by byte."""
import importlib.util
import json
import shutil

import pytest
from contract import METHODS, NOTIFICATIONS
from harness import PATIENCE, ROOT, WAKE

SAMPLES = ROOT / "protocol/samples"
FILES = sorted(SAMPLES.glob("*.jsonl"))
SPEC = importlib.util.spec_from_file_location("replay", SAMPLES / "replay.py")
player = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(player)


def steps(path):
    return map(json.loads, path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("split", [False, True], ids=["whole", "byte by byte"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: getattr(path, "stem", "none"))
def test_transcript(start, tmp_path, path, split):
    head = next(steps(path))
    folder = shutil.copytree(SAMPLES, tmp_path / "samples")
    options = []
    if "tokens" in head:
        (folder / head["tokens"]).chmod(0o600)
        options = ["--token-file", folder / head["tokens"]]
    scene = folder / head["scene"] if "scene" in head else WAKE
    server = start(*options, scene=scene, meshes=path.stem == "spawn")  # of a dancer in clothes cut from her skin
    player.replay(server.address, path, split, timeout=10 * PATIENCE, folder=folder)


def messages(step):
    return [step[kind] for kind in ("send", "receive") if isinstance(step.get(kind), dict)] + [
        message for message in step.get("receive_in_any_order", []) if isinstance(message, dict)]


def test_every_method_and_every_notification_is_in_a_transcript():
    said = {message.get("method") for path in FILES for step in steps(path) for message in messages(step)}
    elsewhere = {"simulation.shed", "cluster.drain", "cluster.move", "character.moved"}  # test_levels.py, cluster
    assert {*METHODS, *NOTIFICATIONS} - elsewhere <= said


def test_a_pattern_finds_elements_wherever_they_stand():
    def fits(pattern, value):
        return player.difference(pattern, value, {}) is None

    assert fits(["...", 2, 3, "..."], [1, 2, 3, 4]) and fits(["...", 3], [1, 2, 3]) and fits(["...", "..."], [])
    assert fits(["...", {"a": "$=x"}, {"a": "$=x"}, "..."], [{"a": 1}, {"a": 2}, {"a": 2}])
    assert not fits(["...", 3, 2, "..."], [1, 2, 3, 4]) and not fits(["...", 3], [3, 4])
