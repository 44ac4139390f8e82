"""A node whose address is wrong is told in the log of the nodes that want its frames."""
import pytest
from harness import own_port


@pytest.mark.parametrize("whose", ["nobody's", "another node's", "the watching node's"])
def test_a_wrong_address_is_told_once(cluster, whose):
    servers, clients = cluster.of("a", "b")
    port = {"nobody's": own_port(), "another node's": servers[1].address[1],
            "the watching node's": servers[0].address[1]}[whose]
    cluster.start("w", "--advertise", f"127.0.0.1:{port}")
    clients[1].request("character.spawn", script="characters/wake", name="far", node="w")
    clients[0].subscribe(bones=["Hips"], static=False)
    clients[0].subscribe(bones=["Head"], static=False)
    why = {"nobody's": "connection refused", "another node's": "node b of cluster tweed answers there",
           "the watching node's": "node a of cluster tweed answers there"}[whose]
    text = (f"warning: node w cannot be reached at 127.0.0.1:{port} ({why}): frames of its characters are missing here; "
            "is its --advertise right?")
    servers[0].wait_for_log(text)
    cluster.wait_until(lambda: clients[0].request("server.stats"))
    assert servers[0].log().count("cannot be reached") == 1
    assert not [frame for frame in clients[0].take("stream.frame") if frame["character"] == "far"]


def test_a_node_that_dies_is_no_wrong_address(cluster):
    servers, clients = cluster.of("a", "b")
    clients[0].subscribe(bones=["Hips"], static=False)
    servers[1].process.kill()
    servers[0].wait_for_log("node b of the cluster has gone")
    assert "cannot be reached" not in servers[0].log()
