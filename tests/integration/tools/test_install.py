"""What is installed works by itself: the folder that `cmake --install` fills, and the package that pip installs."""
import os
import re
import subprocess
import sys

import pytest
from harness import BINARY, ROOT

PACKAGE = ROOT / "protocol/clients/python"


@pytest.fixture
def litter():
    """What setuptools leaves beside a package that it builds."""
    copies = PACKAGE / "build/lib/tweed/aio.py", PACKAGE / "tweed.egg-info/SOURCES.py"
    for copy in copies:
        copy.parent.mkdir(parents=True)
        copy.touch()
    yield
    for copy in copies:
        copy.unlink()
        for folder in copy.relative_to(PACKAGE).parents[:-1]:
            (PACKAGE / folder).rmdir()


def test_an_installed_server_finds_its_own_scripts(start, tmp_path, monkeypatch, litter):
    subprocess.run(["cmake", "--install", BINARY.parent.parent, "--prefix", tmp_path], check=True, capture_output=True)
    for file in ("bin/tweed", "share/tweed/scripts/characters/wake.lua", "share/tweed/openrpc.json.gz",
                 "share/bash-completion/completions/tweed", "share/doc/tweed/README.md", "share/doc/tweed/LICENSE",
                 "share/doc/tweed/protocol/openrpc.json", "share/doc/tweed/protocol/clients/python/pyproject.toml"):
        assert (tmp_path / file).exists(), file
    assert not [folder for folder, *inside in os.walk(tmp_path) if not any(inside)], "empty folders"
    python = tmp_path / "share/doc/tweed/protocol/clients/python"
    assert sorted(path.name for path in python.iterdir()) == ["build_backend.py", "pyproject.toml", "tweed"]
    monkeypatch.setattr("harness.BINARY", tmp_path / "bin/tweed")
    (tmp_path / "mine.lua").write_text(
        'return require("tweed").scene { spawn = { { script = "characters/wake", name = "alan" } } }\n')
    server = start(scene=tmp_path / "mine.lua")
    assert os.readlink(f"/proc/{server.process.pid}/exe") == str(tmp_path / "bin/tweed")
    client = server.client()
    assert "characters/wake" in client.request("server.describe")["scripts"]
    assert client.request("character.list")[0]["name"] == "alan"


@pytest.mark.skipif(os.environ.get("TWEED_PRESET", "release") != "release", reason="no server takes part")
@pytest.mark.skipif(subprocess.run([sys.executable, "-c", "import ensurepip"], capture_output=True).returncode != 0,
                    reason="no python3-venv here")
def test_the_readmes_pip_command_installs_the_package_without_a_network(tmp_path):
    """Into a new virtual environment, typed and without dependencies; the package's folder stays as it was."""
    (command,) = re.findall("^    pip (install .*)$", (ROOT / "protocol/clients/README.md").read_text(), re.MULTILINE)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True, capture_output=True)
    python = tmp_path / "venv/bin/python"
    before = _files_of(PACKAGE)
    for options in ("--no-index",), ("--no-index", "--no-build-isolation", "--force-reinstall"):
        subprocess.run([python, "-m", "pip", *command.split(), *options], cwd=ROOT, check=True, capture_output=True)
        code = "import tweed, sys; print(tweed.__file__, sorted(n for n in sys.modules if 'numpy' in n))"
        shown = subprocess.run([python, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
        package, others = shown.split()
        assert package.startswith(str(tmp_path / "venv/lib")) and others == "[]"
        assert os.path.exists(package.replace("__init__.py", "py.typed"))
    assert _files_of(PACKAGE) == before


def _files_of(folder):
    return {path for path in folder.rglob("*") if "__pycache__" not in path.parts}
