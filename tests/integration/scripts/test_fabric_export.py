"""fabric.export: what is saved from a running server loads back to exactly the same values."""
import json
import re

import pytest
from harness import ROOT

NAMES = sorted(path.stem for path in (ROOT / "scripts/fabrics").glob("*.lua"))
TUNED = {"damping": 1.0000001, "friction": 0.30000001, "density": 0.123456789, "world_angular": -1, "shear": 3.4e-5,
         "edge": {"wind": 1 / 3}, "spring": {"limit": 0.1}}


def numbers(client, **target):
    """The values alone, by group; what they read as is the float32 itself, in its shortest decimals."""
    fabric = client.request("fabric.get", **target)
    return {group: {key: entry["value"] for key, entry in fields.items()} for group, fields in fabric.items()}


def save(folder, number, lua):
    """Under a name of its own, beside the fabrics there are. Gives the name."""
    name = f"saved_{number}"
    folder.mkdir(exist_ok=True)
    text, count = re.subn(r'^  name = ".*",$', f'  name = "{name}",', lua, flags=re.MULTILINE)
    assert count == 1
    (folder / f"{name}.lua").write_text(text)
    return name


def extremes(client):
    """Each value at its smallest and its greatest, in two fabrics."""
    fabric = client.request("fabric.get", fabric="silk")
    for bound in ("minimum", "maximum"):
        values = {key: entry[bound] for key, entry in fabric["values"].items()}
        yield {**values, **{group: {key: entry[bound] for key, entry in fabric[group].items()}
                            for group in ("edge", "spring")}}


def test_everything_loads_back_to_the_same_values(start, tmp_path):
    client = start().client()
    client.request("fabric.set", character="alan", garment="jacket", values=TUNED)
    client.request("fabric.set", fabric="rubber", values={"damping": 7.7, "edge": {"damping": 1.1}})
    targets = [{"fabric": name} for name in NAMES] + [{"character": "alan", "garment": garment}
                                                      for garment in ("jacket", "hood")]
    expected = {}
    for target in targets:
        name = save(tmp_path / "fabrics", len(expected), client.request("fabric.export", **target)["lua"])
        expected[name] = numbers(client, **target)
    for values in extremes(client):
        client.request("fabric.set", fabric="silk", values=values)
        name = save(tmp_path / "fabrics", len(expected), client.request("fabric.export", fabric="silk")["lua"])
        expected[name] = numbers(client, fabric="silk")
    again = start("--scripts", tmp_path).client()
    listed = {fabric["name"]: fabric for fabric in again.request("fabric.list")}
    assert len(NAMES) == 8 and len(expected) == 12
    for name, values in expected.items():
        assert "base" not in listed[name], "all values are the file's own"
        assert numbers(again, fabric=name) == values, name
    assert expected["saved_8"]["values"]["damping"] == 1.0000001 != expected["saved_9"]["values"]["damping"]


def test_the_text_is_a_file_that_people_can_read(guest):
    lua = guest.request("fabric.export", fabric="denim")["lua"]
    assert lua.startswith('-- The fabric "denim", what it has from "cotton" included. SI units.\n\n'
                          'local tweed = require "tweed"\n\n'
                          'return tweed.fabric {\n  name = "denim",\n  density = 0.43, -- kg/m^2\n')
    assert lua.endswith('    limit = 0.08,\n  },\n'
                        '  material = { color = { 0.13, 0.19, 0.33 }, roughness = 0.85, pattern = "twill" },\n}\n')
    assert "\n  edge = {\n    damping = " in lua and "\n  },\n  spring = {\n" in lua
    lua = guest.request("fabric.export", character="alan", garment="hood")["lua"]
    assert lua.startswith('-- The fabric "tweed" as the garment "hood" of "alan" had it. SI units.\n')
    assert '\n  name = "alan_hood",\n' in lua


def test_a_file_that_is_saved_over_its_own_fabric_changes_nothing(start, tmp_path):
    folder = tmp_path / "fabrics"
    folder.mkdir()
    (folder / "own.lua").write_text('return require "tweed".fabric { name = "own", base = "silk", damping = 2 }')
    client = start("--scripts", tmp_path).client()
    client.request("fabric.set", fabric="own", values={"damping": 4.4, "wind": 0.7})
    before = numbers(client, fabric="own")
    (folder / "own.lua").write_text(client.request("fabric.export", fabric="own")["lua"])
    client.event("script.loaded", script="fabrics/own")
    assert numbers(client, fabric="own") == before


def test_names_may_hold_anything(start, tmp_path):
    name = 'a"\\]]--\n\x7f\té☃'
    (tmp_path / "fabrics").mkdir()
    quoted = r'"a\"\\]]--\n\127\té☃"'
    (tmp_path / "scene.lua").write_text(
        f'return require "tweed".scene {{ spawn = {{ {{ script = "characters/wake", name = {quoted} }} }} }}')
    client = start(scene=tmp_path / "scene.lua").client()
    assert [character["name"] for character in client.request("character.list")] == [name]
    lua = client.request("fabric.export", character=name, garment="jacket")["lua"]
    assert '\n  name = "a\\"\\\\]]--\\010\\127\\009é☃_jacket",\n' in lua
    (tmp_path / "fabrics/saved.lua").write_text(lua)
    again = start("--scripts", tmp_path).client()
    assert numbers(again, fabric=name + "_jacket") == numbers(client, fabric="tweed")


def test_a_name_that_would_be_too_long_is_the_garments(start, tmp_path):
    scene = tmp_path / "scene.lua"
    names = ["x" * 57, "y" * 58]
    spawn = ", ".join(f'{{ script = "characters/wake", name = "{name}" }}' for name in names)
    scene.write_text(f'return require "tweed".scene {{ spawn = {{ {spawn} }} }}')
    client = start(scene=scene).client()
    exported = [client.request("fabric.export", character=name, garment="jacket")["lua"] for name in names]
    assert f'\n  name = "{names[0]}_jacket",\n' in exported[0]
    assert '\n  name = "jacket",\n' in exported[1]


@pytest.mark.parametrize("target, code, path", [
    ({"fabric": "sulk"}, -32001, "params.fabric"),
    ({"character": "alna", "garment": "jacket"}, -32001, "params.character"),
    ({"character": "alan", "garment": "jackte"}, -32001, "params.garment"), ({}, -32602, "params.fabric"),
    ({"character": "alan"}, -32602, "params.garment"), ({"fabric": "silk", "garment": "x"}, -32602, "params.garment"),
])
def test_what_is_not_there_is_told(guest, target, code, path):
    error = guest.error("fabric.export", **target)
    assert (error.code, error.path) == (code, path)


def test_the_sample_of_fabric_get_is_the_servers(common):
    """The ranges that protocol/openrpc.json shows are those of the server."""
    methods = json.loads((ROOT / "protocol/openrpc.json").read_text())["methods"]
    for example in next(method for method in methods if method["name"] == "fabric.get")["examples"]:
        shown = example["result"]["value"]
        told = common.client().request("fabric.get", **{param["name"]: param["value"] for param in example["params"]})
        assert shown["values"], "the sample shows a value"
        assert {part: {key: told[part][key] for key in shown[part]} for part in shown} == shown
