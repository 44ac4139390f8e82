"""Replays that end with their test."""
import json
import subprocess
import time

import pytest
import recorder
from harness import BINARY, PATIENCE


@pytest.fixture
def serve(tmp_path):
    """Begins `tweed replay` of a file: its process, with `ports`, `address` and `clients`. Lines of a file that was
    edited by hand go on as they are, against the contract."""
    processes = []

    def begin(path, *options, holds_contract=True):
        port_file = tmp_path / f"port{len(processes)}"
        command = [BINARY, "replay", path, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0",
                   "--port-file", port_file, *map(str, options)]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        process.ports, process.clients = {}, []
        processes.append(process)
        deadline = time.monotonic() + 10 * PATIENCE
        while not port_file.exists():
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        process.ports = json.loads(port_file.read_text())
        process.address = ("127.0.0.1", process.ports["tcp"])
        if holds_contract:
            recorder.add_server(process.ports, "replay")
        return process

    yield begin
    for process in processes:
        for client in process.clients:
            client.close()
        process.kill()
        process.wait()
        process.stderr.close()
        recorder.remove_server(process.ports)
