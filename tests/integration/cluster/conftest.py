"""Fixtures: a broker, and nodes on it."""
import os
from pathlib import Path

import pytest
from brokers import PROGRAM, Broker, Cluster


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("soak") and not os.environ.get("TWEED_SOAK"):
            item.add_marker(pytest.mark.skip(reason="for ./dev soak cluster"))
    if PROGRAM is None and not os.environ.get("CI"):
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="no nats-server here"))


@pytest.fixture(scope="module")
def _module_broker():
    broker = Broker()
    yield broker
    broker.finish()


@pytest.fixture
def broker():
    broker = Broker()
    yield broker
    broker.finish()


@pytest.fixture
def cluster(request, broker):
    """For tests that stop the broker, or start nodes of their own."""
    request.node.servers = []
    yield Cluster(broker, request.node.servers)
    for server in request.node.servers:
        server.kill()


@pytest.fixture(scope="module")
def _trio(_module_broker):
    cluster = Cluster(_module_broker, [])
    _, clients = cluster.of("a", "b", "c", meshes=True)
    yield cluster, clients
    for server in cluster.servers:
        server.kill()


@pytest.fixture
def trio(request, _trio):
    """Clients of three nodes that the tests of one file share. Node a has alan, of the scene; a test removes what it
    adds."""
    cluster, clients = _trio
    request.node.servers = cluster.servers
    for client in clients:
        client.kept.clear()
    return clients
