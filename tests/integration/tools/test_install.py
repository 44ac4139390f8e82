"""`cmake --install` gives a folder that works by itself."""
import os
import subprocess

from harness import BINARY


def test_an_installed_server_finds_its_own_scripts(start, tmp_path, monkeypatch):
    subprocess.run(["cmake", "--install", BINARY.parent.parent, "--prefix", tmp_path], check=True, capture_output=True)
    for file in ("bin/tweed", "share/tweed/scripts/characters/wake.lua",
                 "share/bash-completion/completions/tweed", "share/doc/tweed/README.md", "share/doc/tweed/LICENSE",
                 "share/doc/tweed/protocol/openrpc.json", "share/doc/tweed/protocol/clients/python/pyproject.toml"):
        assert (tmp_path / file).exists(), file
    monkeypatch.setattr("harness.BINARY", tmp_path / "bin/tweed")
    (tmp_path / "mine.lua").write_text(
        'return require("tweed").scene { spawn = { { script = "characters/wake", name = "alan" } } }\n')
    server = start(scene=tmp_path / "mine.lua")
    assert os.readlink(f"/proc/{server.process.pid}/exe") == str(tmp_path / "bin/tweed")
    client = server.client()
    assert "characters/wake" in client.request("server.describe")["scripts"]
    assert client.request("character.list")[0]["name"] == "alan"
