"""seam.list and seam.set: a jacket is buttoned up and opened by a client, and by its script."""
import numpy as np
import pytest


@pytest.fixture
def client(start):
    return start().client()


def gap(client, ticks):
    """m between the edges of the man's jacket at the seam's last row, after so many ticks."""
    garments = client.request("character.describe", character="alan")["garments"]
    jacket = next(garment for garment in garments if garment["name"] == "jacket")
    frame = client.step(ticks)[-1]
    rows = np.array(frame["particles"]["jacket"]).reshape(jacket["rows"], jacket["columns"], 3)
    return np.linalg.norm(rows[5, 0] - rows[5, -1])


def test_a_seam_closes_and_opens(client):
    def seams():
        return client.request("seam.list", character="alan")
    client.request("stream.subscribe", particles=True, static=False, kinds=["cloth"])
    client.request("character.play", character="alan", clip="stand", loop=True)
    assert gap(client, 60) > .02
    assert seams() == [{"name": "front", "closed": False}]
    assert client.request("seam.set", character="alan", seam="front", closed=True) == {"tick": 60}
    assert seams() == [{"name": "front", "closed": True}]
    assert gap(client, 30) < .001
    client.request("character.call", character="alan", command="unbutton")
    assert seams() == [{"name": "front", "closed": False}]
    client.request("seam.set", character="alan", seam="front", closed=True)
    client.request("character.reset", character="alan")
    assert seams() == [{"name": "front", "closed": False}]


def test_what_is_not_there_is_told(client):
    error = client.error("seam.set", character="alan", seam="frnt", closed=True)
    assert (error.code, error.path) == (-32001, "params.seam")
    assert error.message == 'no seam "frnt"; did you mean "front"?'
    assert client.error("seam.list", character="alna").path == "params.character"
    client.request("session.open", role="observer")
    client.request("seam.list", character="alan")
    assert client.error("seam.set", character="alan", seam="front", closed=True).code == -32002
