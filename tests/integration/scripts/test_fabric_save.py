"""fabric.save: an operator's tuned fabric becomes a file of the server, and nothing that was there is lost."""
import pytest

OWN = 'return require "tweed".fabric { name = "own", base = "silk", damping = 2 } -- by hand\n'
BROKEN = "return nothing that loads"


@pytest.fixture
def fabrics(tmp_path):
    folder = tmp_path / "scripts/fabrics"
    folder.mkdir(parents=True)
    (folder / "linen.lua").write_text(OWN)  # a file need not have its fabric's name
    return folder


@pytest.fixture
def client(start, fabrics):
    return start("--allow-save", "--scripts", fabrics.parent).client()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def values(client, **target):
    return client.request("fabric.get", **target)["values"]


def test_a_tuned_garment_becomes_a_fabric_of_its_own(client, fabrics):
    client.request("fabric.set", character="alan", garment="jacket", values={"damping": 3.3})
    lua = client.request("fabric.export", character="alan", garment="jacket")["lua"]
    saved = client.request("fabric.save", character="alan", garment="jacket")
    assert saved == {"name": "alan_jacket", "file": str(fabrics / "alan_jacket.lua"), "tick": saved["tick"]}
    assert (fabrics / "alan_jacket.lua").read_text() == lua
    client.event("script.loaded", script="fabrics/alan_jacket")
    assert values(client, fabric="alan_jacket") == values(client, character="alan", garment="jacket")
    assert client.request("server.describe")["allow_save"] is True


def test_the_server_tells_where_it_saves(start, fabrics):
    server = start("--allow-save", "--scripts", fabrics.parent)
    server.wait_for_log(f"  saves     new fabrics of operators as {fabrics}/NAME.lua\n")


def test_a_name_can_be_chosen(client, fabrics):
    client.request("fabric.save", fabric="silk", name="heavy-silk_2")
    assert '\n  name = "heavy-silk_2",\n' in (fabrics / "heavy-silk_2.lua").read_text()
    client.event("script.loaded", script="fabrics/heavy-silk_2")
    assert values(client, fabric="heavy-silk_2") == values(client, fabric="silk")


def test_a_saved_fabric_keeps_what_its_file_had(client, fabrics):
    for number, damping in enumerate([4, 5], start=1):
        before = (fabrics / "linen.lua").read_text()
        client.request("fabric.set", fabric="own", values={"damping": damping})
        saved = client.request("fabric.save", fabric="own")
        kept = fabrics / f"linen.lua.~{number}~"
        assert (saved["file"], saved["kept"]) == (str(fabrics / "linen.lua"), str(kept))
        assert kept.read_text() == before
        client.event("script.loaded", script="fabrics/linen")
        assert values(client, fabric="own")["damping"]["value"] == damping
    assert (fabrics / "linen.lua.~1~").read_text() == OWN
    assert names(fabrics) == ["linen.lua", "linen.lua.~1~", "linen.lua.~2~"]


def test_no_other_file_is_overwritten(start, fabrics):
    client = start("--allow-save", "--scripts", fabrics.parent).client()
    (fabrics / "mine.lua").write_text(BROKEN)
    error = client.error("fabric.save", fabric="silk", name="mine")
    assert (error.code, error.path) == (-32003, "params.name")
    assert error.message == (f'{fabrics / "mine.lua"} is there and is not loaded as the fabric "mine"; '
                             'it is not overwritten')
    assert (fabrics / "mine.lua").read_text() == BROKEN
    assert names(fabrics) == ["linen.lua", "mine.lua"]


@pytest.mark.parametrize("name", ["../silk", "a/b", ".hidden", "a b", "a.lua", "é"])
def test_a_name_is_no_path(client, fabrics, name):
    error = client.error("fabric.save", fabric="silk", name=name)
    assert (error.code, error.path) == (-32602, "params.name")
    assert error.message == ('expected a name that a file can have, of letters, digits, "_" and "-", '
                             f'not "{name}"')
    assert names(fabrics) == ["linen.lua"] and names(fabrics.parent) == ["fabrics"]


def test_a_folder_of_fabrics_is_made(start, tmp_path):
    client = start("--allow-save", "--scripts", tmp_path).client()
    client.request("fabric.save", fabric="silk", name="first")
    assert names(tmp_path / "fabrics") == ["first.lua"]


def test_only_operators_of_a_server_that_allows_it_save(client, start, fabrics):
    client.request("session.open", role="observer")
    assert client.error("fabric.save", fabric="own").code == -32002
    guest = start("--scripts", fabrics.parent).client()
    error = guest.error("fabric.save", fabric="own")
    assert (error.code, error.path) == (-32002, "method")
    assert error.message == "fabric.save is not allowed: the server runs without --allow-save"
    assert guest.request("server.describe")["allow_save"] is False
    assert names(fabrics) == ["linen.lua"] and (fabrics / "linen.lua").read_text() == OWN
