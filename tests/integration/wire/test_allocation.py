"""A running server asks for no memory: neither the simulation nor the frames of a subscriber."""
import os
import sys
from pathlib import Path

import pytest
from harness import BINARY

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "bench"))
import crowds  # noqa: E402

BUILD = BINARY.parent.parent
COUNTER = BUILD / "bench/tweed_count_allocations.so"


@pytest.mark.skipif(os.environ.get("TWEED_PRESET", "release") != "release", reason="a sanitizer allocates by itself")
@pytest.mark.skipif(not COUNTER.exists(), reason="the counter is built with the benchmarks")
def test_a_tick_of_a_server_with_a_subscriber_allocates_nothing():
    found = crowds.count_allocations(BUILD)
    if found is None:
        pytest.skip("nothing to be counted here: not glibc")
    assert found == 0
