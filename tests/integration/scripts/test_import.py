"""Files that break or hold up what reads them: an error names the file, and the server goes on."""
import os
import signal
import time
from pathlib import Path

import pytest
from harness import SANITIZED, RpcError, run, wait_until

CHARACTER = """local tweed = require "tweed"
return tweed.character { skeleton = tweed.import "%s" }
"""
MODELS = Path("/usr/share/assimp/models")
needs_import = pytest.mark.skipif(not MODELS.exists(), reason="takes assimp-testmodels")
CRASHED = "reading it failed: the process that reads it ended with" if SANITIZED else "reading it crashed ("
CHANNELS = "CHANNELS 3 Zrotation Xrotation Yrotation"


def deep(path):
    """So many joints in each other that reading them takes more than the stack."""
    count = 150000
    path.write_text(f"HIERARCHY\nROOT a\n{{\nOFFSET 0 1 0\n{CHANNELS}\n" +
                    "".join(f"JOINT j{i}\n{{\nOFFSET 0 1 0\n{CHANNELS}\n" for i in range(count)) +
                    "End Site\n{\nOFFSET 0 1 0\n}\n" + "}\n" * (count + 1) +
                    "MOTION\nFrames: 1\nFrame Time: .1\n0 0 0\n")


def slow(path):
    """So many joints beside each other that finding the channels of each takes minutes."""
    count = 60000
    path.write_text(f"HIERARCHY\nROOT a\n{{\nOFFSET 0 1 0\n{CHANNELS}\n" +
                    "".join(f"JOINT j{i}\n{{\nOFFSET 0 1 0\n{CHANNELS}\nEnd Site\n{{\nOFFSET 0 1 0\n}}\n}}\n"
                            for i in range(count)) +
                    "}\nMOTION\nFrames: 2\nFrame Time: .1\n" + ("0 0 0 " * (count + 1) + "\n") * 2)


def large(path):
    with open(path, "wb") as file:
        file.truncate(8 << 30)


@pytest.fixture
def serve(start, tmp_path):
    """serve(*options): a running server whose folder of scripts is tmp_path."""
    def begin(*options):
        (tmp_path / "scene.lua").write_text("""local tweed = require "tweed"
return tweed.scene { spawn = { { script = "alan", name = "alan" } } }
""")
        (tmp_path / "alan.lua").write_text("""local tweed = require "tweed"
return tweed.character { skeleton = tweed.skeleton { { name = "root" } } }
""")
        return start(*options, scene=tmp_path / "scene.lua", paused=False)

    return begin


def spawn_of(folder, file, make=None):
    if make:
        make(folder / file)
    (folder / "guest.lua").write_text(CHARACTER % file)
    return {"script": "guest", "name": "guest"}


def child_of(server):
    """The process that reads a file for the server."""
    def find():
        for children in Path(f"/proc/{server.process.pid}/task").glob("*/children"):
            for pid in children.read_text().split():
                if "import-child" in Path(f"/proc/{pid}/cmdline").read_text():
                    return int(pid)
        return None

    return wait_until(find)


@needs_import
@pytest.mark.parametrize("file, make, said", [
    ("RAW/WithColor.raw", None, "expected a file of BVH, glTF (.gltf, .glb, .vrm), FBX, Collada (.dae, .zae), OBJ, X or "
                                "PLY, found .raw"),
    ("deep.bvh", deep, CRASHED),
    ("large.fbx", large, "large.fbx: is too large: 8192 MiB; reading a file may take 1024 MiB of memory"),
])
def test_a_file_that_cannot_be_read_is_an_error_that_names_it(serve, tmp_path, file, make, said):
    server = serve()
    client = server.client()
    error = client.error("character.spawn", **spawn_of(tmp_path, file, make))
    assert error.code == -32004 and Path(file).name in error.message and said in error.message
    tick = client.request("session.ping")["tick"]
    assert client.request("character.remove", character="alan")["tick"] > tick
    assert server.stop()[0] == 0


@needs_import
def test_the_server_ticks_on_until_the_time_is_over(serve, tmp_path):
    client = serve("--import-time", "1").client()
    wanted = spawn_of(tmp_path, "slow.bvh", slow)
    tick = client.request("session.ping")["tick"]
    request = client.start("character.spawn", **wanted)
    with pytest.raises(RpcError) as failure:
        client.finish(request, timeout=60)
    assert "slow.bvh: reading it takes longer than the 1.0 s that are left for imports" in str(failure.value)
    assert client.request("session.ping")["tick"] > tick + 15, "60 were due"


@needs_import
@pytest.mark.parametrize("number, name", [(signal.SIGSEGV, "Segmentation fault"), (signal.SIGABRT, "Aborted"),
                                          (signal.SIGKILL, "Killed")])
def test_a_child_that_dies_is_an_error(serve, tmp_path, number, name):
    server = serve()
    client = server.client()
    request = client.start("character.spawn", **spawn_of(tmp_path, "slow.bvh", slow))
    os.kill(child_of(server), number)
    with pytest.raises(RpcError) as failure:
        client.finish(request, timeout=60)
    assert f"slow.bvh: reading it crashed ({name})" in str(failure.value)
    (tmp_path / "guest.lua").write_text((tmp_path / "alan.lua").read_text())
    assert client.request("character.spawn", script="guest", name="guest")["name"] == "guest"


@needs_import
def test_the_server_ends_while_a_file_is_read(serve, tmp_path):
    server = serve()
    server.client().start("character.spawn", **spawn_of(tmp_path, "slow.bvh", slow))
    child = child_of(server)
    status, seconds = server.stop(timeout=20)
    assert status == 0 and seconds < 3 and not Path(f"/proc/{child}").exists()


@needs_import
def test_a_child_ends_with_the_server(serve, tmp_path):
    server = serve()
    server.client().start("character.spawn", **spawn_of(tmp_path, "slow.bvh", slow))
    child = child_of(server)
    server.kill()
    deadline = time.monotonic() + 10
    while Path(f"/proc/{child}/stat").exists() and Path(f"/proc/{child}/stat").read_text().split()[2] != "Z":
        assert time.monotonic() < deadline, "it reads on for nobody"
        time.sleep(0.01)


@needs_import
def test_each_command_says_so(tmp_path):
    deep(tmp_path / "deep.bvh")
    (tmp_path / "guest.lua").write_text(CHARACTER % "deep.bvh")
    guest = tmp_path / "guest.lua"
    for arguments in (("check", guest), ("bake", guest, "--out", tmp_path / "a.glb"), ("inspect", tmp_path / "deep.bvh"),
                      ("serve", guest, "--listen", "127.0.0.1:0")):
        result = run(*arguments)
        assert result.returncode == 1 and f"deep.bvh: {CRASHED}" in result.stdout + result.stderr, arguments
    assert not (tmp_path / "a.glb").exists()


def test_nobody_needs_the_childs_command():
    result = run("import-child")
    assert (result.returncode, result.stdout, result.stderr) == (1, "", "")
    assert "import-child" not in run("--help").stdout
