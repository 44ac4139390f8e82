"""The README's commands exist, its script loads, its client prints; the links of all pages lead somewhere."""
import re
import subprocess
import sys

import pytest
from harness import PATIENCE, ROOT, run

README = (ROOT / "README.md").read_text()
PAGES = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()


def block(language, word):
    """The first fenced block of that language that holds `word`."""
    blocks = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return next(text for text in blocks if word in text)


def test_its_first_script_loads_and_moves(start, tmp_path):
    (tmp_path / "banner.lua").write_text(block("lua", "tweed.cloth"))
    check = run("check", tmp_path / "banner.lua")
    assert check.returncode == 0, check.stdout + check.stderr
    client = start(scene=tmp_path / "banner.lua").client()
    (banner,) = client.request("character.list")
    client.subscribe(kinds=["cloth"])
    frames = client.step(120)
    assert frames[-1]["character"] == banner["name"]
    assert frames[0]["bones"] != frames[-1]["bones"]


def test_every_lua_example_of_the_pages_is_run():
    """README.md's here, the clients' by test_client_examples, those of scripts/ by test_script_readme and _manual."""
    assert [page for page in PAGES if "```lua" in (ROOT / page).read_text()] == [
        "README.md", "protocol/clients/README.md", "scripts/README.md", "scripts/REFERENCE.md"]
    assert README.count("```lua") == 1


def test_its_first_client_prints_bones(start):
    server = start(paused=False)
    text = block("python", "stream.subscribe").replace("7601", str(server.ports["tcp"]))
    process = subprocess.Popen([sys.executable, "-u", "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        lines = [process.stdout.readline() for _ in range(5)]
    finally:
        process.kill()
        _, errors = process.communicate(timeout=5 * PATIENCE)
    assert all(re.match(r"tick +\d+ ", line) for line in lines), (lines, errors)


def test_the_line_to_paste_streams_the_hem(start):
    client = start(paused=False).client()
    client.send_bytes(re.search(r"^ +(\{.*\})$", README, re.MULTILINE)[1].encode() + b"\n")
    assert client.read()["result"]["characters"] == ["alan"]
    frames = [client.event("stream.frame") for _ in range(2)]
    assert all(len(frame["bones"]) == 26 and len(frame["bones"][0]) == 10 for frame in frames)


@pytest.mark.parametrize("command", sorted(set(re.findall(r"\./dev (\w+)", README))))
def test_its_commands_exist(command):
    usage = subprocess.run([ROOT / "dev", "help"], capture_output=True, text=True, check=True).stdout
    assert f"./dev {command}" in usage


def anchors(page):
    """The headings of a page as links name them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_its_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s:]+)\)", (ROOT / page).read_text()):
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
