"""Fixtures: servers that end with their test, and whose log is shown when it fails."""
import os

import pytest
import recorder
from harness import Server

recorder.start()

if os.environ.get("TWEED_PRESET") != "minimal":
    collect_ignore = ["tools/test_minimal.py"]


# The modules that take longest, which begin first: no worker has a long one left when the others are done.
LONGEST = ["tools/test_command_line", "characters/test_tornado", "wire/test_broken_clients", "characters/test_motion",
           "wire/test_parameters", "scripts/test_reload", "tools/test_commands", "scripts/test_spawn", "wire/test_tokens",
           "wire/test_contract", "characters/test_sleep", "wire/test_jsonlivelink", "wire/test_simulation",
           "wire/test_session", "tools/test_python_client", "wire/test_slow_clients"]


# What ./dev test leaves out and ./dev test all runs: modules, and tests of others.
LONG = {"characters/test_dance_and_drape", "characters/test_hood_and_tail", "characters/test_levels",
        "characters/test_motion", "characters/test_rates", "characters/test_reach", "characters/test_sleep",
        "characters/test_tornado", "cluster/test_clock", "cluster/test_drain", "cluster/test_failover",
        "cluster/test_membership", "cluster/test_move", "cluster/test_pause", "cluster/test_python_failover",
        "scripts/test_gaps", "tools/test_bake", "tools/test_bake_recording", "tools/test_python_commands", "tools/test_replay_views",
        "wire/test_broken_clients", "wire/test_jsonlivelink",
        "test_a_crowd_200_times_leaks_nothing", "test_a_fine_mesh_follows_the_bones_of_the_skirt",
        "test_200_random_reloads_always_leave_a_running_script", "test_check_passes_the_folder_of_shipped_scripts",
        "test_requests_that_wait_for_a_tick_are_answered_when_the_server_stops",
        "test_static_data_comes_first_after_many_characters_have_left_their_node",
        "test_the_readmes_pip_command_installs_the_package_without_a_network",
        "test_two_hundred_silent_connections_are_gone_in_six_seconds"}


def module_of(item):
    return "/".join(item.path.with_suffix("").parts[-2:])


@pytest.hookimpl(tryfirst=True)  # before -m looks at the marks
def pytest_collection_modifyitems(items):
    for item in items:
        if {module_of(item), item.name} & LONG:
            item.add_marker(pytest.mark.long)
    items.sort(key=lambda item: LONGEST.index(module_of(item)) if module_of(item) in LONGEST else len(LONGEST))


def pytest_configure(config):
    config.addinivalue_line("markers", "soak: runs in ./dev soak only")
    config.addinivalue_line("markers", "long: ./dev test leaves it out, ./dev test all runs it")
    config.addinivalue_line("markers", "alone: has time limits that another test at the same time could break")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    report = (yield).get_result()
    if report.failed and report.when != "teardown":
        for number, server in enumerate(getattr(item, "servers", [])):
            report.sections.append((f"log of server {number}, pid {server.process.pid}", server.log()[-8000:]))
            if server.process.poll() is not None:
                report.sections.append((f"server {number}", f"ended with status {server.process.returncode}"))


@pytest.fixture
def start(request):
    """start(*options, scene=, paused=) gives a server; as many as a test wants."""
    servers = request.node.servers = []

    def start_server(*options, **settings):
        servers.append(Server(*options, **settings))
        return servers[-1]

    yield start_server
    for server in servers:
        server.kill()


@pytest.fixture
def server(start):
    """A server of the shipped scene without meshes, paused at tick 0."""
    return start()


@pytest.fixture
def client(server):
    return server.client()


@pytest.fixture(scope="module")
def _common_server():
    with Server(meshes=True) as server:
        yield server


@pytest.fixture
def common(request, _common_server):
    """A paused server that the tests of one file share: for tests that leave it as they found it."""
    request.node.servers = [_common_server]
    return _common_server


@pytest.fixture
def guest(common):
    """A fresh connection to the shared server."""
    with common.client() as client:
        yield client
