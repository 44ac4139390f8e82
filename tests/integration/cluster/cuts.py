"""Connections between nodes and a broker that can be cut, and records of who owns and who streams which character."""
import json
import multiprocessing
import selectors
import socket
import threading
import time

from harness import Closed

SILENT, BROKEN = 1, 2


class Proxy(multiprocessing.get_context("fork").Process):
    """Carries bytes to the broker, until it is cut: then it breaks all connections, or is silent on them. A process of its
    own, which nothing else holds up; start it before any thread."""

    def __init__(self, port, mark=b""):
        super().__init__(daemon=True)
        self.target, self.pairs = port, {}
        self.mark, self.deaf_until, self.brokers = mark, 0.0, set()
        self.state = multiprocessing.get_context("fork").Value("b", 0)
        self.deaf_for = multiprocessing.get_context("fork").Value("d", 0.0)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"nats://127.0.0.1:{self.listener.getsockname()[1]}"
        self.start()

    def cut(self, silently):
        self.state.value = SILENT if silently else BROKEN

    def mend(self):
        self.state.value = 0

    def deafen_after_mark(self, seconds):
        """Once a node next sends the mark, nothing comes from the broker for so long."""
        self.deaf_for.value = seconds

    def run(self):
        selector = selectors.DefaultSelector()
        selector.register(self.listener, selectors.EVENT_READ)
        while True:
            if self.state.value == SILENT:
                time.sleep(0.01)  # what comes waits in the kernel
                continue
            is_deaf = time.monotonic() < self.deaf_until
            for key, _ in selector.select(0.02):
                if is_deaf and key.fileobj in self.brokers:
                    continue  # what comes waits in the kernel
                try:
                    self._carry(selector, key.fileobj)
                except OSError:
                    self._end(selector, key.fileobj)
            if self.state.value == BROKEN:
                for end in list(self.pairs):
                    self._end(selector, end)

    def _carry(self, selector, end):
        if end is self.listener:
            node = end.accept()[0]
            try:
                broker = socket.create_connection(("127.0.0.1", self.target), timeout=1)
            except OSError:
                node.close()
                return
            self.brokers.add(broker)
            for one, other in ((node, broker), (broker, node)):
                self.pairs[one] = other
                one.settimeout(5)
                selector.register(one, selectors.EVENT_READ)
        elif end in self.pairs:
            data = end.recv(1 << 16)
            if not data:
                raise ConnectionError
            if self.deaf_for.value and end not in self.brokers and self.mark in data:
                self.deaf_until = time.monotonic() + self.deaf_for.value
                self.deaf_for.value = 0.0
            self.pairs[end].sendall(data)

    def _end(self, selector, end):
        for each in (end, self.pairs.pop(end, None)):
            if each is None or each is self.listener:
                continue
            self.pairs.pop(each, None)
            self.brokers.discard(each)
            try:
                selector.unregister(each)
            except (KeyError, ValueError):
                pass
            each.close()


class Owners(threading.Thread):
    """Every entry of the bucket of characters, as the broker has stored it: (time, character, node), in order."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.entries, self.newest = port, [], 0
        self.start()

    def run(self):
        while True:
            try:
                self._listen()
            except (OSError, ValueError):
                pass
            time.sleep(0.05)  # the broker is away, or has no bucket yet

    def _listen(self):
        wanted = json.dumps({"stream_name": "KV_tweed_chars", "config": {
            "deliver_subject": "owners", "deliver_policy": "last_per_subject", "filter_subject": "$KV.tweed_chars.>",
            "ack_policy": "none", "replay_policy": "instant"}}).encode()
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            lines = connection.makefile("rb")
            connection.sendall(b'CONNECT {"verbose":false,"headers":true}\r\nSUB owners 1\r\nSUB created 2\r\n'
                               b"PUB $JS.API.CONSUMER.CREATE.KV_tweed_chars created %d\r\n%b\r\n" % (len(wanted), wanted))
            while line := lines.readline():
                words = line.split()
                if words[0] == b"PING":
                    connection.sendall(b"PONG\r\n")
                if words[0] not in (b"MSG", b"HMSG"):
                    continue
                header = int(words[-2]) if words[0] == b"HMSG" else 0
                body = lines.read(int(words[-1]) + 2)[header:-2]
                if words[2] == b"2" and b"error" in body:
                    return
                if words[2] == b"1":
                    self._take(words[1].decode(), int(words[3].split(b".")[5]), body)

    def _take(self, subject, revision, body):
        if revision > self.newest and body.startswith(b"{"):
            name = subject.rsplit(".", 1)[1].replace("=20", " ")
            self.entries.append((time.monotonic(), name, json.loads(body)["node"]))
        self.newest = max(self.newest, revision)


class Frames(threading.Thread):
    """When each node has sent frames of its own characters: (time, character), over a connection to it."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.client, self.seen = server.client(timeout=60), []
        self.client.subscribe(bones=["Hips"], static=False, redirect=True, rate=20)
        self.start()

    def run(self):
        try:
            while True:
                character = self.client.event("stream.frame", timeout=3600)["character"]
                self.seen.append((time.monotonic(), character))
        except (Closed, OSError, ValueError):
            pass  # the node is dead
