"""Tests of the add-on in a real Blender: its zip is built and installed, as a user does, and scripts run in Blender."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/integration"), str(HERE.parent)]

from harness import PATIENCE, Server  # noqa: E402
import package  # noqa: E402

INSIDE = HERE / "inside"
STAGE = HERE / "stage/scenes/two.lua"


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """The environment of a Blender that has the add-on's zip installed, in folders of its own."""
    home = tmp_path_factory.mktemp("blender")
    zip_file = package.build(home)
    environment = {**os.environ, "HOME": str(home), "BLENDER_USER_CONFIG": str(home / "config"),
                   "BLENDER_USER_SCRIPTS": str(home / "scripts"), "TWEED_ZIP": str(zip_file),
                   "PYTHONPATH": f"{INSIDE}:{ROOT}/tests/integration", "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("TWEED_TOKEN", None)
    run_blender(environment, "-b", "--python", str(INSIDE / "install.py"))
    return environment


def run_blender(environment, *arguments, timeout=180, command=("blender",)):
    """Runs Blender to its end; fails with what it printed."""
    done = subprocess.run([*command, "--factory-startup", "--python-exit-code", "3", *arguments], env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout * PATIENCE)
    assert done.returncode == 0, f"status {done.returncode}\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}"
    return done.stdout


@pytest.fixture
def blender(installed):
    """blender(SCRIPT, *arguments) runs a script of inside/ in Blender's background mode."""
    def run(script, *arguments, **options):
        return run_blender(installed, "-b", "--python", str(INSIDE / script), "--", *map(str, arguments), **options)
    return run


@pytest.fixture
def start():
    """start(*options, scene=, paused=) gives a server; as many as a test wants."""
    servers = []

    def start_server(*options, **settings):
        servers.append(Server(*options, meshes=True, **settings))
        return servers[-1]

    yield start_server
    for server in servers:
        server.kill()


@pytest.fixture
def server(start):
    """A server of the shipped scene, paused at tick 0."""
    return start()


requires_display = pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="xvfb is not installed")
