"""`tweed check` on tests/scripts: good ones pass in silence, bad ones get exactly the message that lies beside them."""
import pytest
from harness import ROOT, run

FOLDER = ROOT / "tests/scripts"


def name(path):
    return getattr(path, "stem", "none")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("good/*.lua")), ids=name)
def test_good(path):
    budget = 500  # ms: some load for a second and more, twice as long with sanitizers
    result = run("check", "--script-budget", budget, path.relative_to(ROOT), cwd=ROOT)
    assert (result.returncode, result.stdout) == (0, ""), result.stdout + result.stderr


@pytest.mark.parametrize("path", sorted(FOLDER.glob("bad/*.lua")), ids=name)
def test_bad(path):
    result = run("check", path.relative_to(ROOT), cwd=ROOT)
    assert result.returncode == 1
    assert result.stdout == path.with_suffix(".expected").read_text(errors="surrogateescape")


def test_every_expectation_has_its_script():
    scripts = sorted(path.stem for path in FOLDER.glob("bad/*.lua"))
    assert scripts and scripts == sorted(path.stem for path in FOLDER.glob("bad/*.expected"))
    assert list(FOLDER.glob("good/*.lua"))


def test_a_folder_of_scripts_that_is_named_twice_is_one(start, tmp_path):
    """Tweed's own, too, however it is spelled: else each of its fabrics were defined twice."""
    (tmp_path / "own").symlink_to(ROOT / "scripts")
    client = start("--scripts", ROOT / "scripts" / ".", "--scripts", tmp_path / "own").client()
    assert [fabric["name"] for fabric in client.request("fabric.list")].count("tweed") == 1
