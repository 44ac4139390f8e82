"""A NATS server of its own, and nodes on it."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import recorder
from harness import PATIENCE, ROOT, Server

PROGRAM = next((path for path in (shutil.which("nats-server"), "/usr/sbin/nats-server",
                                  ROOT / "build/nats-server/usr/sbin/nats-server") if path and Path(path).exists()), None)

os.environ["LSAN_OPTIONS"] = f"print_suppressions=0:suppressions={Path(__file__).with_name('leaks.txt')}"


class Broker:
    """nats-server with JetStream in a folder of its own, on a free port that it keeps."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tweed-broker-"))
        self.port = -1
        self.start()

    def start(self, jetstream=True):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [PROGRAM, *(["-js"] if jetstream else []), "-sd", self.folder, "-a", "127.0.0.1", "-p", str(self.port), "--ports_file_dir",
                 self.folder], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        ports = self.folder / f"nats-server_{self.process.pid}.ports"
        deadline = time.monotonic() + 10 * PATIENCE
        while not ports.exists() or not ports.read_text():
            assert self.process.poll() is None and time.monotonic() < deadline, (self.folder / "log").read_text()
            time.sleep(0.01)
        self.port = int(json.loads(ports.read_text())["nats"][0].rpartition(":")[2])
        self.url = f"nats://127.0.0.1:{self.port}"

    def kill(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()

    def finish(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Cluster:
    """Nodes a, b, c, … of one broker."""

    def __init__(self, broker, servers):
        self.broker, self.servers = broker, servers

    def start(self, node, *options, **settings):
        settings.setdefault("paused", False)
        server = Server("--cluster", self.broker.url, "--node", node, "--no-http", "--no-shed", *options, **settings)
        self.servers.append(server)
        recorder.add_server(server.ports, "cluster")
        return server

    def wait_until(self, condition, timeout=5.0):
        deadline = time.monotonic() + timeout * PATIENCE
        while not (value := condition()):
            assert time.monotonic() < deadline, "".join(server.log()[-1500:] for server in self.servers)
            time.sleep(0.02)
        return value

    def nodes(self, client):
        return [node["node"] for node in client.request("server.describe", cluster=True)["cluster"]["nodes"]]

    def of(self, *names):
        """Nodes that know of each other, each with a client of it."""
        servers = [self.start(name) for name in names]
        clients = [server.client() for server in servers]
        for client in clients:
            self.wait_until(lambda client=client: self.nodes(client) == sorted(names))
        return servers, clients


def owners(client):
    return {entry["name"]: entry["node"] for entry in client.request("character.list")}
