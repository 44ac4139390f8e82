"""The URL of the broker: TLS where it asks for it, several in one, and nobody sees user and password."""
import shutil
import socket
import subprocess
import threading

import pytest
from harness import WAKE, own_port, run


class Tap(threading.Thread):
    """Carries one connection to the broker, and keeps what comes from the node."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.target, self.sent, self.connections = port, b"", 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.start()

    def run(self):
        while True:
            node = self.listener.accept()[0]
            self.connections += 1
            broker = socket.create_connection(("127.0.0.1", self.target))
            threading.Thread(target=self.carry, args=(broker, node.sendall), daemon=True).start()
            threading.Thread(target=self.carry, args=(node, broker.sendall, True), daemon=True).start()

    def carry(self, source, send, is_node=False):
        try:
            while data := source.recv(1 << 16):
                self.sent += data if is_node else b""
                send(data)
        except OSError:
            pass


def refused(url):
    ended = run("serve", WAKE, "--listen", "127.0.0.1:0", "--no-http", "--log-time", "none", "--cluster", url)
    assert ended.returncode == 1
    assert "secret" not in ended.stderr + ended.stdout
    return ended.stderr.splitlines()[-1]


def test_a_node_that_asks_for_tls_does_not_go_on_without(broker):
    tap = Tap(broker.port)
    url = f"tls://127.0.0.1:{tap.port}"
    message = f"error: --cluster: the broker of the cluster at {url} offers no TLS, which tls:// asks for"
    assert refused(url.replace("//", "//me:secret@")) == message
    assert tap.connections == 1 and tap.sent == b""
    several = f"nats://127.0.0.1:{tap.port},tls://127.0.0.1:{own_port()}"
    assert refused(several.replace("//", "//me:secret@")) == (
        f"error: --cluster: cannot reach the broker of the cluster at {several}: no NATS server answers there with TLS")
    assert tap.connections == 2 and tap.sent == b"", "one tls:// is enough"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes a certificate")
def test_a_node_that_asks_for_tls_gets_it(cluster, tmp_path, monkeypatch):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", tmp_path / "key", "-out",
                    tmp_path / "certificate", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    cluster.broker.kill()
    cluster.broker.start(tls=tmp_path)
    tap = Tap(cluster.broker.port)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate"))
    node = cluster.start("a", url=f"tls://me:secret@127.0.0.1:{tap.port}")
    assert node.client().request("server.describe", cluster=True)["cluster"]["connected"]
    assert tap.sent and b"secret" not in tap.sent and b"CONNECT" not in tap.sent


def test_a_password_is_shown_nowhere(cluster):
    url, dead = f"127.0.0.1:{cluster.broker.port}", f"127.0.0.1:{own_port()}"
    node = cluster.start("a", url=f"nats://me:secret@{dead},nats://you:s,ec/r@et@{url}")
    node.wait_for_log(f"node a of cluster tweed at nats://{dead},nats://{url}, other nodes: 0")
    client = node.client()
    told = [client.request("server.describe", cluster=True), client.request("server.stats")]
    assert not [word for word in ("secret", "ec/r", "et@", "me:", "you:") if word in str(told) + node.log()]
    assert refused(f"nats://me:secret@{dead}") == (
        f"error: --cluster: cannot reach the broker of the cluster at nats://{dead}: no NATS server answers there")
    wrong = run("serve", WAKE, "--cluster", "http://me:secret@host:4222")
    assert wrong.returncode == 2 and wrong.stderr.splitlines()[0].endswith("or tls://HOST, found http://host:4222")
