"""./dev: a copied tree builds itself and not the one it was copied from, and what fails is told by the exit status."""
import os
import shutil
import subprocess

import pytest
from harness import ROOT

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
    page = folder / "protocol/clients/web/dist/index.html"
    page.parent.mkdir(parents=True)
    page.touch()
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
