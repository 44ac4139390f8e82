"""Records what is said between this process and the servers, where TWEED_RECORD names a folder.

It listens at the sockets, so whatever client a test uses is recorded, and as it was on the wire. A file a process;
each line of it is the number of the connection and `=` with the kind of server, or `>` (to it) or `<` with the text
of a line. Of one connection's frames of a view and character the first, the first with a sequence and each 50th are
kept: others only differ in numbers. Static data that several get alike is kept once. tests/contract reads the record.
"""
import atexit
import os
import socket
import threading
import weakref
from pathlib import Path

LONGEST_REQUEST = 1 << 20  # longer ones are refused: what is kept of them is enough to be no JSON
FRAME = b'{"jsonrpc":"2.0","method":"stream.frame"'
STATIC = b'{"jsonrpc":"2.0","method":"stream.static"'
FRAMES_APART = 50

_servers = {}  # port, or path of a Unix socket -> what kind of server listens there
_connections = weakref.WeakKeyDictionary()  # by socket


def add_server(ports, kind="serve"):
    """From now on connections to these are recorded. `ports` is what the port file holds, `kind` serve, replay or
    cluster."""
    _servers.update(dict.fromkeys(_addresses(ports), kind))


def remove_server(ports):
    """It has ended; somebody else may get its port."""
    for address in _addresses(ports):
        _servers.pop(address, None)


def start():
    """Records from now on, if that is wished."""
    if not os.environ.get("TWEED_RECORD"):
        return
    folder = Path(os.environ["TWEED_RECORD"])
    folder.mkdir(parents=True, exist_ok=True)
    record = _Record(folder / f"{os.getpid()}.record")
    for name in ("connect", "connect_ex"):
        setattr(socket.socket, name, _connecting(getattr(socket.socket, name), record))
    for name, tap in (("send", _sending), ("sendall", _sending_all), ("recv", _receiving),
                      ("recv_into", _receiving_into)):
        setattr(socket.socket, name, tap(getattr(socket.socket, name)))


class _Record:
    """The file, and the count of its connections."""

    def __init__(self, path):
        self.file = open(path, "wb")
        atexit.register(self.file.flush)
        self.lock = threading.Lock()
        self.connections = 0
        self.statics = set()  # hashes of their lines

    def connection(self, kind):
        with self.lock:
            self.connections += 1
            number = self.connections
        self.write(number, b"=", kind.encode())
        return _Connection(self, number)

    def has_static(self, line):
        """Whether it is the same static data that another connection has got."""
        before = len(self.statics)
        self.statics.add(hash(line))
        return len(self.statics) == before

    def write(self, number, mark, line):
        with self.lock:
            self.file.write(b"%d%c%b\n" % (number, mark, line))


class _Connection:
    """What of the two streams is not yet a line."""

    def __init__(self, record, number):
        self.record, self.number = record, number
        self.sent_rest, self.received_rest = b"", []
        self.frames = {}

    def sent(self, data):
        *lines, rest = bytes(data).split(b"\n")
        if lines:
            lines[0] = self.sent_rest + lines[0]
            self.sent_rest = rest
        elif len(self.sent_rest) < LONGEST_REQUEST:
            self.sent_rest += rest
        for line in lines:
            self.record.write(self.number, b">", line[:LONGEST_REQUEST])

    def received(self, data):
        first, *others = data.split(b"\n")
        self.received_rest.append(first)
        for line in others:
            whole = b"".join(self.received_rest)
            self.received_rest = [line]
            if not self.is_known(whole):
                self.record.write(self.number, b"<", whole)

    def is_known(self, line):
        if line.startswith(FRAME):
            return self.is_like_others(line)
        return line.startswith(STATIC) and self.record.has_static(line)

    def is_like_others(self, frame):
        head = frame[: frame.find(b',"bones":')]
        place = head[: head.find(b',"tick":')], b',"sequence":' in head  # view, character and revision
        count = self.frames.get(place, 0)
        self.frames[place] = count + 1
        return count % FRAMES_APART != 0


def _addresses(ports):
    return [ports[key] for key in ("tcp", "unix") if key in ports]


def _connecting(real, record):
    def connect(self, address):
        kind = _servers.get(address[1] if isinstance(address, tuple) else address)
        if kind:
            _connections[self] = record.connection(kind)
        return real(self, address)

    return connect


def _sending_all(real):
    def sendall(self, data, *flags):
        if self in _connections:
            _connections[self].sent(data)  # before a reply can come
        return real(self, data, *flags)

    return sendall


def _sending(real):
    def send(self, data, *flags):
        count = real(self, data, *flags)
        if self in _connections:
            _connections[self].sent(memoryview(data)[:count])
        return count

    return send


def _receiving(real):
    def recv(self, size, flags=0):
        data = real(self, size, flags)
        if not flags and self in _connections:
            _connections[self].received(data)
        return data

    return recv


def _receiving_into(real):
    def recv_into(self, buffer, *arguments):
        count = real(self, buffer, *arguments)
        if self in _connections:
            _connections[self].received(bytes(memoryview(buffer)[:count]))
        return count

    return recv_into
