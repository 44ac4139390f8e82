"""The HTTP port: requests as bytes, and a WebSocket that speaks like any client."""
import base64
import json
import os
import socket
import struct
from dataclasses import dataclass

from harness import PATIENCE, Client, Closed

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


@dataclass
class Response:
    status: int
    headers: dict  # names in lower case
    body: bytes


def open_socket(server):
    return socket.create_connection(("127.0.0.1", server.ports["http"]), timeout=10 * PATIENCE)


def request_bytes(path="/", method="GET", host="127.0.0.1", **headers):
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def read_response(connection, rest=b"", has_body=True):
    """The response, and what the connection has sent behind it."""
    while b"\r\n\r\n" not in rest:
        rest += _some(connection)
    head, rest = rest.split(b"\r\n\r\n", 1)
    status, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    length = int(headers.get("content-length", 0)) if has_body else 0
    while len(rest) < length:
        rest += _some(connection)
    return Response(int(status.split()[1]), headers, rest[:length]), rest[length:]


def get(server, path="/", method="GET", **headers):
    with open_socket(server) as connection:
        connection.sendall(request_bytes(path, method, **headers))
        return read_response(connection, has_body=method != "HEAD")[0]


def _some(connection):
    data = connection.recv(1 << 16)
    if not data:
        raise Closed()
    return data


def frame(payload=b"", opcode=TEXT, fin=True, reserved=0, mask=b"\x37\xfa\x21\x3d"):
    """A frame as a client sends it; `mask` None sends it unmasked."""
    first = fin << 7 | reserved << 4 | opcode
    length = len(payload)
    size = bytes([length]) if length < 126 else \
        struct.pack(">BH", 126, length) if length < 65536 else struct.pack(">BQ", 127, length)
    if mask is None:
        return bytes([first]) + size + payload
    masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
    return bytes([first, size[0] | 0x80]) + size[1:] + mask + masked


class WebSocket(Client):
    """A client over WebSocket. Its lines are messages."""

    def __init__(self, server, path="/v1", protocol="tweed.v1", host="127.0.0.1", headers=None, **options):
        self.head = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                     "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), **(headers or {})}
        self.head |= {"Sec-WebSocket-Protocol": protocol} if protocol else {}
        self.path, self.host = path, host
        super().__init__(("127.0.0.1", server.ports["http"]), **options)
        server.clients.append(self)

    def open(self):
        """The handshake. Refused: the response is there, and no hello comes."""
        self.socket.sendall(request_bytes(self.path, host=self.host, **self.head))
        self.response, rest = read_response(self.socket)
        self.buffer += rest
        if self.response.status != 101:
            raise Refused(self.response)

    def send(self, message):
        self.send_text(json.dumps(message))

    def send_text(self, text):
        self.socket.sendall(frame(text.encode()))

    def read_line(self, timeout=None):
        """The next message; what the server says beside them is an error here."""
        opcode, payload = self.read_frame(timeout)
        while opcode == PING:
            self.socket.sendall(frame(payload, PONG))
            opcode, payload = self.read_frame(timeout)
        if opcode == CLOSE:
            raise ClosedWith(payload)
        assert opcode == TEXT, (opcode, payload)
        return payload

    def read_frame(self, timeout=None):
        """The next frame: its opcode and payload. Frames of a server are final and not masked."""
        first, second = self._take(2, timeout)
        assert first & 0xF0 == 0x80 and second < 0x80, (first, second)
        length = second
        if second >= 126:
            form = ">H" if second == 126 else ">Q"
            (length,) = struct.unpack(form, self._take(struct.calcsize(form), timeout))
            assert length >= (126 if second == 126 else 65536)
        return first & 15, self._take(length, timeout)

    def read_close(self, timeout=None):
        """The code of the close frame that comes next, after any messages."""
        while True:
            opcode, payload = self.read_frame(timeout)
            if opcode == CLOSE:
                return struct.unpack(">H", payload[:2])[0] if payload else None

    def _take(self, count, timeout):
        self.socket.settimeout(self.timeout if timeout is None else max(timeout, 1e-3))
        while len(self.buffer) < count:
            try:
                self.buffer += _some(self.socket)
            except ConnectionResetError as failure:
                raise Closed(reset=True) from failure
        taken = bytes(self.buffer[:count])
        del self.buffer[:count]
        return taken


class Refused(Exception):
    """The server did not open a WebSocket; `response` says why."""

    def __init__(self, response):
        super().__init__(f"{response.status}: {response.body.decode()}")
        self.response = response


class ClosedWith(Closed):
    """A close frame came; `code` is None without one."""

    def __init__(self, payload):
        super().__init__()
        self.code = struct.unpack(">H", payload[:2])[0] if payload else None
        self.text = payload[2:].decode()
