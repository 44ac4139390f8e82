"""The golden transcripts of protocol/samples, replayed against a fresh server: whole, and byte by byte."""
import importlib.util

import pytest
from harness import PATIENCE, ROOT

SAMPLES = ROOT / "protocol/samples"
SPEC = importlib.util.spec_from_file_location("replay", SAMPLES / "replay.py")
player = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(player)


@pytest.mark.parametrize("split", [False, True], ids=["whole", "byte by byte"])
@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.jsonl")), ids=lambda path: getattr(path, "stem", "none"))
def test_transcript(server, path, split):
    player.replay(server.address, path, split, timeout=10 * PATIENCE)
