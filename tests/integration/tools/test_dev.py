"""./dev: a copied tree builds itself and not the one it was copied from, what fails is told by the exit status, and
./dev picture draws any scene or says in one line what is wrong."""
import os
import shutil
import struct
import subprocess
import sys

import pytest
from harness import BINARY, ROOT

pytestmark = pytest.mark.skipif(os.environ.get("TWEED_PRESET", "release") != "release", reason="no server takes part")
SMALL = """cmake_minimum_required(VERSION 3.25)
project(small C)
add_executable(tweed main.c)
target_compile_definitions(tweed PRIVATE PLACE="${PROJECT_SOURCE_DIR}")
set_target_properties(tweed PROPERTIES RUNTIME_OUTPUT_DIRECTORY bin)
"""


def dev(folder, *arguments, **options):
    return subprocess.run([folder / "dev", *arguments], capture_output=True, text=True, **options)


@pytest.fixture
def tree(tmp_path):
    """A project of one C file, built by ./dev: the program says where its source lay."""
    folder = tmp_path / "first"
    folder.mkdir()
    for file in ("dev", "CMakePresets.json"):
        shutil.copy(ROOT / file, folder)
    (folder / "CMakeLists.txt").write_text(SMALL)
    (folder / "main.c").write_text("#include <stdio.h>\nint main(void) { return puts(PLACE) < 0; }\n")
    built = dev(folder, "build")
    assert built.returncode == 0, built.stderr
    return folder


def test_a_copied_tree_is_configured_anew(tree):
    second = tree.with_name("second")
    shutil.copytree(tree, second, symlinks=True)
    for folder in (second, tree):
        built = dev(folder, "build")
        binary = built.stdout.splitlines()[-1]
        assert (built.returncode, binary) == (0, f"{folder}/build/release/bin/tweed"), built.stderr
        assert subprocess.run([binary], capture_output=True, text=True).stdout == f"{folder}\n"


def test_a_moved_tree_is_configured_anew(tree):
    moved = tree.rename(tree.with_name("moved"))
    binary = dev(moved, "build").stdout.splitlines()[-1]
    assert subprocess.run([binary], capture_output=True, text=True).stdout == f"{moved}\n"


@pytest.mark.parametrize("file, fault", [
    ("CMakeLists.txt", 'message(FATAL_ERROR "no")'), ("CMakePresets.json", "]"), ("main.c", "int main;")])
@pytest.mark.parametrize("copied", [True, False])
def test_a_build_that_fails_has_a_status(tree, file, fault, copied):
    folder = shutil.copytree(tree, tree.with_name("second")) if copied else tree
    with open(folder / file, "a") as text:
        text.write(fault)
    if file == "CMakePresets.json":
        shutil.rmtree(folder / "build")
    built = dev(folder, "build")
    assert (built.returncode, built.stdout) == (1, ""), built.stderr
    assert built.stderr.splitlines()[-1] == "dev: the build failed"


# --- pictures ---


def picture(scene, *options, folder):
    """./dev picture without its build, small: the exit status and what it wrote."""
    command = [sys.executable, ROOT / "tests/tools/picture.py", scene, "--times", "0.1", "--cell", "16", "--output",
               folder / "picture.png", *options]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120,
                           env={**os.environ, "TWEED_BINARY": str(BINARY)})
    return ended.returncode, ended.stdout + ended.stderr


@pytest.fixture
def scene(tmp_path):
    """scene(spawn) is the file of a scene with these characters."""
    pytest.importorskip("matplotlib")

    def write(spawn):
        file = tmp_path / "scene.lua"
        file.write_text(f'local tweed = require "tweed"\nreturn tweed.scene {{ spawn = {{ {spawn} }} }}\n')
        return file
    return write


def test_a_picture_has_all_characters_of_a_scene(scene, tmp_path):
    spawn = "\n".join(f'{{ script = "characters/mannequins/silk", name = "n{i}", position = {{ {i}, 0, 0 }} }},'
                      for i in range(17))
    assert picture(scene(spawn), "--all", folder=tmp_path) == (0, f"{tmp_path}/picture.png\n")
    with (tmp_path / "picture.png").open("rb") as image:
        assert struct.unpack(">4xI", image.read(24)[-12:-4]) == (17 * 16,), "each has a column"


def test_a_picture_takes_a_folder_of_scripts(scene, tmp_path):
    (tmp_path / "own/characters").mkdir(parents=True)
    shutil.copy(ROOT / "scripts/characters/human.lua", tmp_path / "own/characters/mine.lua")
    spawn = '{ script = "characters/mine", name = "alan" }'
    assert picture(scene(spawn), "--scripts", tmp_path / "own", folder=tmp_path) == (0, f"{tmp_path}/picture.png\n")


@pytest.mark.parametrize("spawn, options, message", [
    ('{ script = "characters/wake" }, },\nspwn = { ', [], 'error: {scene}:3: spwn: unknown key; did you mean "spawn"?'),
    ("", [], "error: {scene}: the scene has no characters"),
    ('{ script = "characters/human" }', ["--character", "eve"], 'error: no character "eve"'),
    ('{ script = "characters/human" }', ["--call", "0.05=fly"], 'error: no command "fly"'),
    ('{ script = "characters/human" }', ["--output", "/proc/x.png"],
     "error: [Errno 2] No such file or directory: '/proc/x.png'"),
    ('{ script = "characters/human" }', ["--times", "-1"],
     "./dev picture: error: argument --times: expected 0 to 3600 s, not -1")])
def test_what_is_wrong_with_a_picture_is_one_line(scene, tmp_path, spawn, options, message):
    file = scene(spawn)
    status, text = picture(file, *options, folder=tmp_path)
    assert (status != 0, text.splitlines()[-1]) == (True, message.format(scene=file))
    assert "Traceback" not in text
