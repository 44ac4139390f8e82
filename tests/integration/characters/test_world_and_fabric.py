"""fabric.list, get and set; world.get and set."""
import numpy as np
import pytest


def test_fabrics_are_listed(guest):
    fabrics = {fabric["name"]: fabric for fabric in guest.request("fabric.list")}
    assert "tweed" in fabrics
    for fabric in fabrics.values():
        assert {"name", "script"} <= set(fabric) <= {"name", "script", "base"}


def test_a_fabric_tells_each_value_with_unit_and_range(guest):
    fabric = guest.request("fabric.get", fabric="tweed")
    assert set(fabric) == {"values", "edge", "spring"}
    expected = {"density": 0.4, "stretch": 15000, "shear": 35, "damping": 3, "contact_damping": 25, "world_motion": 0.2,
                "max_distance": 0.4}
    assert {"damping", "wind", "world_motion", "max_distance"} <= set(fabric["edge"])
    assert {"structural", "shear", "flexion", "damping", "limit"} <= set(fabric["spring"])
    for key in expected:
        entry = fabric["values"][key]
        assert set(entry) == {"value", "unit", "minimum", "maximum", "default"}
        assert entry["minimum"] <= entry["value"] <= entry["maximum"] and isinstance(entry["unit"], str)
    assert fabric["values"]["density"]["value"] == pytest.approx(0.4, rel=0.5), "tuned, but still a tweed"


def test_a_garment_tells_its_values(guest):
    garment = guest.request("fabric.get", character="alan", garment="jacket")
    assert garment == guest.request("fabric.get", fabric="tweed")


def test_set_values_are_told_to_all_and_got_back(server, client):
    other = server.client()
    values = {"damping": 2, "edge": {"wind": 1.5}}
    assert client.request("fabric.set", fabric="tweed", values=values) == {"tick": 0}
    event = other.event("fabric.changed")
    assert (event["fabric"], event["values"], event["tick"]) == ("tweed", values, 0)
    fabric = client.request("fabric.get", fabric="tweed")
    assert (fabric["values"]["damping"]["value"], fabric["edge"]["wind"]["value"]) == (2, 1.5)
    assert client.request("fabric.get", character="alan", garment="jacket")["values"]["damping"]["value"] == 2


def test_a_garments_own_values_stay_on_top_until_the_reset(client):
    client.request("fabric.set", character="alan", garment="jacket", values={"damping": 7})
    client.request("fabric.set", fabric="tweed", values={"damping": 2})

    def damping(**target):
        return client.request("fabric.get", **target)["values"]["damping"]["value"]

    assert damping(character="alan", garment="jacket") == 7
    assert damping(character="alan", garment="hood") == damping(fabric="tweed") == 2
    client.request("character.reset", character="alan")
    assert damping(character="alan", garment="jacket") == 2


def test_a_change_is_live_without_a_pop(client):
    client.request("character.play", character="alan", clip="stand", loop=True, fade=0)
    client.subscribe(bones=["Hips"], particles=True, space="model", precision=7)
    client.step(300)
    client.request("fabric.set", fabric="tweed", values={"density": 0.9, "damping": 0.5, "stretch": 3000, "shear": 200})
    frames = client.step(60)
    points = np.array([frame["particles"]["jacket"] for frame in frames])
    assert np.max(np.abs(np.diff(points, axis=0))) < 0.01, "a centimetre a tick would be a jump"


def test_changing_max_distance_renews_the_static_data(server, client):
    client.subscribe(bones=["Hips"])
    first = client.event("stream.static")
    client.request("fabric.set", fabric="tweed", values={"max_distance": 0.25})
    client.step(60)
    client.start("session.ping")
    static = client.event("stream.static")
    assert static["revision"] > first["revision"]
    changed = next(garment for garment in static["description"]["garments"] if garment["name"] == "jacket")
    before = next(garment for garment in first["description"]["garments"] if garment["name"] == "jacket")
    assert np.allclose(np.array(changed["max_distance"]), 0.25 / 0.4 * np.array(before["max_distance"]), atol=1e-4)


@pytest.mark.parametrize("params, code, path, words", [
    ({"fabric": "twed", "values": {"damping": 1}}, -32001, "params.fabric", ["twed"]),
    ({"character": "barry", "garment": "jacket", "values": {"damping": 1}}, -32001, "params.character", ["barry"]),
    ({"character": "alan", "garment": "coat", "values": {"damping": 1}}, -32001, "params.garment", ["coat"]),
    ({"fabric": "tweed", "values": {"dampin": 1}}, -32602, "params.values.dampin",
     ['params.values has no parameter "dampin"; did you mean "damping"?']),
    ({"fabric": "tweed", "values": {"damping": "soft"}}, -32602, "params.values.damping", ["number"]),
    ({"fabric": "tweed", "values": {"damping": -1}}, -32602, "params.values.damping",
     ["params.values.damping must be a number from 0 to ", " 1/s, not -1"]),
    ({"fabric": "tweed", "values": {"edge": {"wnd": 1}}}, -32602, "params.values.edge.wnd",
     ['params.values.edge has no parameter "wnd"; did you mean "wind"?']),
    ({"fabric": "tweed", "values": {"edge": {"wind": 1e9}}}, -32602, "params.values.edge.wind", []),
    ({"fabric": "tweed", "values": {"edge": 5}}, -32602, "params.values.edge",
     ["params.values.edge must be an object, not 5"]),
    ({"fabric": "tweed", "values": {"damping": {"wind": 1}}}, -32602, "params.values.damping", [" 1/s, not an object"]),
    ({"fabric": "tweed", "values": {"": {"damping": 7}}}, -32602, 'params.values[""]',
     ['params.values has no parameter ""; it takes density, ']),
    ({"fabric": "tweed", "values": {"": {"x": 7}}}, -32602, 'params.values[""]', ['has no parameter ""']),
    ({"fabric": "tweed", "values": {"": "x"}}, -32602, 'params.values[""]', ['params.values[""] must be a finite number']),
    ({"fabric": "tweed", "values": [1]}, -32602, "params.values", []),
    ({"fabric": "tweed", "values": {"density": 0.5, "shear": 20, "stretch": -3}}, -32602, "params.values.stretch", []),
])
def test_a_bad_fabric_set_says_where_and_changes_nothing(guest, params, code, path, words):
    before = guest.request("fabric.get", fabric="tweed")
    error = guest.error("fabric.set", **params)
    assert (error.code, error.path) == (code, path), error
    assert all(word in error.message for word in words), error.message
    assert guest.request("fabric.get", fabric="tweed") == before


def test_the_range_is_named(guest):
    entry = guest.request("fabric.get", fabric="tweed")["values"]["damping"]
    error = guest.error("fabric.set", fabric="tweed", values={"damping": entry["maximum"] * 2 + 1})
    assert f"{entry['maximum']:g}" in error.message and f"{entry['minimum']:g}" in error.message


def test_the_world_as_the_scene_made_it(guest):
    world = guest.request("world.get")
    assert set(world) == {"gravity", "wind", "ground", "tornados"}
    assert world["gravity"] == pytest.approx([0, -9.81, 0])
    assert set(world["wind"]) == {"velocity", "turbulence", "gust"}
    assert world["ground"] == 0 and world["tornados"] == []


def test_set_takes_any_part_and_tells_the_whole(server, client):
    other = server.client()
    before = client.request("world.get")
    assert client.request("world.set", wind={"gust": 0.25}) == {"tick": 0}
    event = other.event("world.changed")
    assert event.pop("tick") == 0
    assert event == client.request("world.get")
    assert event == before | {"wind": before["wind"] | {"gust": 0.25}}
    client.request("world.set", ground=False, gravity=[0, -1.5, 0])
    after = client.request("world.get")
    assert (after["ground"], after["gravity"]) == (False, [0, -1.5, 0])


def test_without_gravity_and_with_wind_the_jacket_flies(client):
    client.request("character.play", character="alan", clip="stand", loop=True, fade=0)
    client.subscribe(bones=["Hips"], particles=True, space="model", precision=6)

    def hem(ticks):
        return np.array(client.step(ticks)[-1]["particles"]["jacket"]).reshape(9, 26, 3)[-1].mean(axis=0)

    client.request("world.set", wind={"velocity": [0, 0, 0], "turbulence": 0, "gust": 0})
    calm = hem(240)
    client.request("world.set", wind={"velocity": [0, 0, -12]})
    windy = hem(240)
    assert windy[2] < calm[2] - 0.02, "blown backwards"
