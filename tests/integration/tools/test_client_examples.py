"""protocol/clients/README.md: each client, run as it stands there, prints frames of a running server."""
import os
import re
import shutil
import subprocess
import sys
import threading

import pytest
from harness import PATIENCE, ROOT

CLIENTS = ROOT / "protocol/clients"
PAGE = (CLIENTS / "README.md").read_text()
BLOCKS = re.findall(r"^## ([^\n]+)$|```(\w+)\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)
FIRST_TICKS = 5


def examples():
    """(title, language, text) of every fenced block."""
    title = None
    for heading, language, text in BLOCKS:
        title = heading or title
        if language:
            yield title, language, text


def ready(command, why):
    """What runs it, or a plain line on why this test is skipped."""
    if shutil.which(command[0]) is None or why and subprocess.run(why, capture_output=True).returncode:
        pytest.skip(f"no {' '.join(why or command[:1])} here")
    return command


def program(language, text, folder):
    """The command that runs an example."""
    if language == "c":
        (folder / "client.c").write_text(text)
        build = ready(["cc", "-std=c17", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror"], None)
        subprocess.run([*build, "client.c", "-o", "client"], cwd=folder, check=True)
        return ["stdbuf", "-oL", folder / "client"]
    if language == "js":
        return [*ready(["node", "-e"], None), text]
    if language == "lua":
        return [*ready(["lua5.4", "-e"], ["lua5.4", "-l", "socket", "-e", ""]), "io.stdout:setvbuf('line') " + text]
    return [sys.executable, "-u", "-c", text]


def begin(server, language, text, folder):
    """The example at work, on that server."""
    assert "7601" in text
    command = program(language, text.replace("7601", str(server.ports["tcp"])), folder)
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
                            env={**os.environ, "PYTHONPATH": str(CLIENTS / "python")})


@pytest.mark.parametrize("title, language, text", [
    pytest.param(title, language, text, id=f"{title}, {language} {number}")
    for number, (title, language, text) in enumerate(examples()) if language != "gdscript"])
def test_it_prints_frames(start, tmp_path, title, language, text):
    process = begin(start(paused=False), language, text, tmp_path)
    timer = threading.Timer(20 * PATIENCE, process.kill)
    timer.start()
    try:
        lines = [process.stdout.readline() for _ in range(FIRST_TICKS)]
    finally:
        timer.cancel()
        process.kill()
        _, errors = process.communicate()
    ticks = [re.match(r"tick (\d+)", line) for line in lines]
    assert all(ticks), (lines, errors)
    ticks = [int(tick[1]) for tick in ticks]
    assert ticks == sorted(ticks) and ticks[0] < ticks[-1] or "interpolated" in text
    if language != "c":
        numbers = [float(number) for number in re.findall(r"-?\d+\.\d+", " ".join(lines))]
        assert len(numbers) >= 2 * FIRST_TICKS and all(abs(number) < 1000 for number in numbers), lines


@pytest.mark.parametrize("number", [0, 1])
def test_the_package_shows_the_token_of_the_environment(start, tmp_path, monkeypatch, number):
    tokens = tmp_path / "tokens"
    tokens.write_text("operator b5f2c6e1a90d4873\n")
    tokens.chmod(0o600)
    monkeypatch.setenv("TWEED_TOKEN", "b5f2c6e1a90d4873")
    text = list(examples())[number][2]
    assert "tweed" in text
    process = begin(start("--token-file", tokens, paused=False), "python", text, tmp_path)
    try:
        assert re.match(r"tick \d+", process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


def test_every_language_is_there():
    assert [language for _, language, _ in examples()] == ["python", "python", "python", "js", "c", "lua", "gdscript"]
    godot = PAGE[PAGE.index("## Godot"):]
    assert "no test runs it" in godot
