"""How long a pose takes to come back in a frame: a driver streams 50 skeletons at 60 Hz while another client watches.

From just before a batch is written to when the watcher has the whole frame that carries its sequence: the wait for the
next tick, which is anything from nothing to a tick, the work of the tick, and two ways through the loopback. The round
trip of an echo server of the same language is measured between the batches, so that both are of the same seconds.
"""
import json
import math
import multiprocessing
import re
import socket
import statistics
import tempfile
import time
from contextlib import ExitStack

from crowds import scene_of
from harness import Server

CHARACTERS = 50
BONES = 34
RATE = 60
SECONDS = 10
SEGMENT = 30  # batches, after which the phase to the server's ticks is another one
GOLDEN = 0.6180339887
FRAME = re.compile(rb'"character":"alan_(\d+)".*?"sequence":(\d+)')


def watch(address, ready, results):
    """Reads frames until something comes by the pipe; sends back when the first frame of each sequence arrived."""
    with socket.create_connection(address) as connection:
        connection.sendall(b'{"jsonrpc":"2.0","id":1,"method":"stream.subscribe","params":{"kinds":["skeleton"],'
                           b'"layout":"trs","static":false}}\n')
        connection.settimeout(2)
        ready.set()
        arrivals, rest = {}, b""
        while True:
            try:
                data = connection.recv(1 << 20)
            except socket.timeout:
                break
            if not data:
                break
            now = time.monotonic()
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                found = FRAME.search(line, 0, 300)
                if found:
                    arrivals.setdefault((int(found[1]), int(found[2])), now)
            if results.poll():
                break
    results.send(arrivals)


def echo(listener):
    connection, _ = listener.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while data := connection.recv(1 << 16):
        connection.sendall(data)


def round_trip(connection, message):
    begin, missing = time.monotonic(), len(message)
    connection.sendall(message)
    while missing:
        missing -= len(connection.recv(1 << 16))
    return time.monotonic() - begin


def batch_of(names, sequence):
    """Fifty messages in one write, as an editor's frame is."""
    swing = 0.1 * math.sin(2 * math.pi * sequence / RATE)
    bones = {name: {"rotation": [round(number, 5) for number in (swing, 0.3 * swing, -0.2 * swing, 1 - swing**2 / 2)]}
             for name in names}
    text = json.dumps({"bones": bones, "space": "parent", "sequence": sequence}, separators=(",", ":"))[1:]
    return "".join(f'{{"jsonrpc":"2.0","method":"character.pose","params":{{"character":"alan_{index}",{text}}}\n'
                   for index in range(CHARACTERS)).encode()


def drive(driver, echoes, batches):
    """Sends them at 60 Hz, at all phases to the server's ticks. When each was sent, and the echo's round trips."""
    sent, trips, begin = [], [], time.monotonic() + 0.1
    ping = b"x" * 255 + b"\n"
    for number, batch in enumerate(batches):
        phase = (number // SEGMENT) * GOLDEN % 1
        time.sleep(max(0.0, begin + (number + phase) / RATE - time.monotonic()))
        sent.append(time.monotonic())
        driver.sendall(batch)
        trips.append(round_trip(echoes, ping))
    return sent, trips


def print_distribution(name, seconds):
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    cells = "".join(f" {1e3 * value:>8.2f}" for value in (cuts[49], cuts[94], cuts[98], max(seconds)))
    print(f"  {name:<34}{cells} {len(seconds):>9,}")


def measure(stack):
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tweed-bench-"))
    server = stack.enter_context(Server(scene=scene_of(CHARACTERS, folder), paused=False))
    client = stack.enter_context(server.client(timeout=60))
    bones = [bone for bone in client.request("character.describe", character="alan_0")["bones"]
             if bone["kind"] in ("skeleton", "driven")][:BONES]
    names = [bone["name"] for bone in bones]
    batches = [batch_of(names, sequence) for sequence in range(SECONDS * RATE)]
    listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    ours, theirs = multiprocessing.Pipe()
    ready = multiprocessing.Event()
    watcher = multiprocessing.Process(target=watch, args=(server.address, ready, theirs), daemon=True)
    echoer = multiprocessing.Process(target=echo, args=(listener,), daemon=True)
    watcher.start()
    echoer.start()
    echoes = stack.enter_context(socket.create_connection(listener.getsockname()))
    for connection in (echoes, client.socket):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    ready.wait(10)
    sent, trips = drive(client.socket, echoes, batches)
    time.sleep(0.5)
    ours.send("that was all")
    arrivals = ours.recv()
    echoes.close()
    stats = server.client(timeout=60).request("server.stats")
    latencies = [arrival - sent[sequence] for (_, sequence), arrival in arrivals.items()]
    return latencies, trips, len(batches[0]), len(names), stats


def print_poses():
    with ExitStack() as stack:
        latencies, trips, size, bones, stats = measure(stack)
    print(f"\nposes from outside: {CHARACTERS} dressed characters of {bones} bones at {RATE} Hz for {SECONDS} s, "
          f"{size / 1024:.0f} KiB a batch, one watcher of their skeletons")
    print(f"  {'ms':<34} {'p50':>8} {'p95':>8} {'p99':>8} {'max':>8} {'samples':>9}")
    print_distribution("pose in to frame out", latencies)
    print_distribution("round trip of an echo, 256 bytes", trips)
    work, lateness = stats["work_ms"], stats["lateness_ms"]
    share = len(latencies) / (SECONDS * RATE * CHARACTERS)
    print(f"  a tick is {1e3 / RATE:.2f} ms, half of which is the mean wait for the next one; its work {work['p50']:.2f} "
          f"at p50, {work['p99']:.2f} at p99,\n  its lateness {lateness['p50']:.2f} and {lateness['p99']:.2f}; "
          f"{stats['ticks_skipped']} skipped; {share:.1%} of the poses came back, the others were followed\n"
          "  by another before the same tick")


if __name__ == "__main__":
    print_poses()
