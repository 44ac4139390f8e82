"""What each fuzz target begins with: the protocol's samples, the tests' scripts, small files of each format."""
import json
import re
import struct
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MODELS = Path("/usr/share/assimp/models")  # Debian's assimp-testmodels
LARGEST = 6000  # bytes: small inputs run often

BVH = b"""HIERARCHY
ROOT Hips
{
  OFFSET 0 1 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Chest
  {
    OFFSET 0 0.5 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 0.3 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.0333333
0 1 0 0 0 0 0 0 0
0.1 1 0 10 0 0 0 5 0
0.2 1 0 20 0 0 0 10 0
"""

EDGES = (0.0, -0.0, 1.0, 0.1, 9.999999, 0.99999994, 8388607.5, 16777216.0, 4294967296.0, 3e19, 3.4028235e38,
         1.17549435e-38, 1e-45, 5e-8, 0.005, 0.015, 0.125, 1e-7, 2.0**-96, 2.0**87, 2.0**90)


def conversations():
    """What each sample's client sends, as lines."""
    for sample in sorted((ROOT / "protocol" / "samples").glob("*.jsonl")):
        steps = [json.loads(line) for line in sample.read_text().splitlines()]
        lines = [step["send"] if isinstance(step["send"], str) else json.dumps(step["send"])
                 for step in steps if "send" in step]
        # Values that only the server knows, as "$=view", are a first view's id.
        yield [re.sub(r'"\$=\w+"', "1", line).encode() for line in lines]


def requests():
    for lines in conversations():
        yield from lines
        yield b"\n".join(lines)


def token_files():
    yield b"operator 5f2c6e1a90d4873b\nobserver 0c3e9d71f5a248b6 # the screen in the hall\n"
    yield b"# nobody\n\n \t\r\n  operator\ta#b\r\nobserver a\noperator b\nobserver " + b"x" * 512
    yield b"operator a\nobserver a\n"
    yield b"observer b c\nOperator d\noperator \xc3\xa9\noperator \0\noperator"


def framing():
    for lines in conversations():
        yield bytes([63, 255, 31]) + b"\r\n".join(lines) + b"\n"
    yield bytes([7, 200, 31]) + b"one\ntwo\r\n\n\r\n12345678\n12345678\r\n123456789\nthree\r\r\n123456789\r\nz\n1234567\r"
    yield bytes([63, 3, 31]) + b"POST / HTTP/1.1\r\nHost: x\r\n\r\n{}\n"


def http():
    upgrade = (b"GET /v1 HTTP/1.1\r\nHost: localhost:7602\r\nOrigin: http://localhost:7602\r\nUpgrade: websocket\r\n"
               b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: tweed.v1\r\n"
               b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
    page = b"GET /assets/%69ndex.js?x HTTP/1.1\r\nHost: [::1]\r\nAccept-Encoding: gzip;q=0.5, br\r\nIf-None-Match: \"a\"\r\n\r\n"
    yield bytes([0, 0, 7]) + page + b"HEAD / HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n" + upgrade
    yield bytes([0, 0, 3]) + b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    mask = b"\x01\x02\x03\x04"
    text = b"\x01\x83" + mask + b"{\x20~" + b"\x89\x82" + mask + b"hi" + b"\x80\x80" + mask
    close = b"\x88\x82" + mask + b"\x02\xea"
    yield bytes([1, 200, 5]) + text + b"\x8a\x80" + mask + b"\x81\xfe\x00\x80" + mask + b"x" * 128 + close
    yield bytes([1, 3, 5]) + text + b"\x82\x81" + mask + b"x" + close


def definitions():
    folders = [ROOT / "tests" / "scripts" / name for name in ("good", "bad", "advice")]
    for folder in [*folders, ROOT / "tests" / "fuzz" / "scripts", ROOT / "scripts"]:
        for path in sorted(folder.rglob("*.lua")):
            if path.stat().st_size <= LARGEST and "types" not in path.parts:
                yield path.read_bytes()


def shortened(bvh):
    """The hierarchy, and three frames."""
    hierarchy, motion = bvh.read_bytes().split(b"MOTION", 1)
    rows = motion.strip().splitlines()
    return hierarchy + b"\n".join([b"MOTION", b"Frames: 3", *rows[1:5], b""])


def files():
    yield BVH
    for path in sorted(MODELS.glob("BVH/*.bvh")):
        yield shortened(path)
    for pattern in ("glTF2/**/*.gltf", "glTF2/**/*.glb", "X/*.[xX]"):
        for path in sorted(MODELS.glob(pattern)):
            if 0 < path.stat().st_size <= LARGEST:
                yield path.read_bytes()


def frames():
    for view in range(0, 128, 8):
        for axes in (0, 1, 2):
            values = [value * (-1) ** k for k, value in enumerate(EDGES * 3)]
            yield bytes([view + axes, axes, 4]) + b"al\"\n" + struct.pack(f"<{len(values)}f", *values)
    yield bytes([0, 0, 0]) + struct.pack("<6d", 0.1, 1 / 3, 1e308, 5e-324, 2.0**53, 1e22)
