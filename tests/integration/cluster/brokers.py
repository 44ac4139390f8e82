"""A NATS server of its own, and nodes on it."""
import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import recorder
from harness import PATIENCE, ROOT, RpcError, Server, own_port, wait_until

PROGRAM = next((path for path in (shutil.which("nats-server"), "/usr/sbin/nats-server",
                                  ROOT / "build/nats-server/usr/sbin/nats-server") if path and Path(path).exists()), None)

os.environ["LSAN_OPTIONS"] = f"print_suppressions=0:suppressions={Path(__file__).with_name('leaks.txt')}"


class Broker:
    """nats-server with JetStream in a folder of its own, on a port that it keeps."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tweed-broker-"))
        self.port = own_port()
        self.start()

    def start(self, jetstream=True, tls=None):
        """tls: a folder with `certificate` and `key`."""
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [PROGRAM, *(["-js"] if jetstream else []), "-sd", self.folder, "-a", "127.0.0.1", "-p", str(self.port),
                 "--ports_file_dir", self.folder,
                 *(["--tls", "--tlscert", tls / "certificate", "--tlskey", tls / "key"] if tls else [])], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        ports = self.folder / f"nats-server_{self.process.pid}.ports"
        deadline = time.monotonic() + 10 * PATIENCE
        while not ports.exists() or not ports.read_text():
            assert self.process.poll() is None and time.monotonic() < deadline, (self.folder / "log").read_text()
            time.sleep(0.01)
        self.url = f"nats://127.0.0.1:{self.port}"

    def state(self, character):
        """What the owner of a character has stored of it, for the node that goes on with it; {} for nothing."""
        question = json.dumps({"last_by_subj": f"$KV.tweed_state.{character.replace(' ', '=20')}"}).encode()
        with socket.create_connection(("127.0.0.1", self.port), timeout=10 * PATIENCE) as connection:
            lines = connection.makefile("rb")
            connection.sendall(b'CONNECT {"verbose":false}\r\nSUB inbox 1\r\n'
                               b'PUB $JS.API.STREAM.MSG.GET.KV_tweed_state inbox %d\r\n%b\r\n' % (len(question), question))
            while not (line := lines.readline()).startswith(b"MSG"):
                assert line, "the broker has closed the connection"
            answer = json.loads(lines.read(int(line.split()[-1])))
        return json.loads(base64.b64decode(answer["message"]["data"])) if "message" in answer else {}

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

    def start(self, node, *options, http=False, url=None, shed=False, **settings):
        settings.setdefault("paused", False)
        server = Server("--cluster", url or self.broker.url, "--node", node, *([] if shed else ["--no-shed"]),
                        *([] if http else ["--no-http"]), *options, **settings)
        self.servers.append(server)
        recorder.add_server(server.ports, "cluster")
        return server

    def wait_until(self, condition, timeout=5.0):
        return wait_until(condition, timeout, lambda: "".join(server.log()[-1500:] for server in self.servers))

    def eventually(self, client, method, **params):
        """The result of a request that may be refused for now: its character is between two nodes."""
        def result():
            try:
                return client.request(method, **params)
            except RpcError as error:
                assert error.code == -32003, error
                return None

        return self.wait_until(result)

    def nodes(self, client):
        return [node["node"] for node in client.request("server.describe", cluster=True)["cluster"]["nodes"]]

    def of(self, *names, **settings):
        """Nodes that know of each other, each with a client of it."""
        servers = [self.start(name, **settings) for name in names]
        clients = [server.client() for server in servers]
        for client in clients:
            self.wait_until(lambda client=client: self.nodes(client) == sorted(names))
        return servers, clients


def owners(client):
    return {entry["name"]: entry["node"] for entry in client.request("character.list")}
