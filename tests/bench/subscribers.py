"""What subscribers of one view cost the server: frames are encoded once for all, and each takes its socket writes.

The servers are paused and stepped a tick at a time; every subscriber takes each tick's frames before the next. What is
counted is the CPU time of the loop's thread, and its writes. Bare writes of as many bytes to as many sockets are timed
between the servers' turns, so that the ratio is of the same seconds.
"""
import os
import socket
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from crowds import cpu_seconds, pin, scene_of
from harness import Server

SUBSCRIBERS = (1, 16, 128)
CHARACTERS = 16
VIEWS = (("two bones", {"bones": ["Hips", "Head"]}), ("all bones", {}))
TICKS = 10  # of a turn
TURNS = 20
TARGET = 2.0
MOST_AT_ONCE = 64 << 10  # bytes that a socket takes before it is read from
SINK = bytearray(1 << 20)  # which nothing is written to


class Stream:
    """A server, one view, so many subscribers, and what a tick has taken at best."""

    def __init__(self, count, view, scene, stack):
        self.server = stack.enter_context(Server("--threads", 1, scene=scene))
        self.stepper = self.server.client(timeout=60.0)
        self.subscribers = [self.server.client(timeout=60.0) for _ in range(count)]
        for client in self.subscribers:
            client.subscribe(static=False, **view)
            take_lines(client, 2 * CHARACTERS)  # static data and the first frames
        self.seconds, self.writes, self.bytes_each = float("inf"), 0.0, 0

    def run(self):
        seconds, writes = cpu_seconds(self.server)[0], count_writes(self.server)
        for _ in range(TICKS):
            self.stepper.request("simulation.step", ticks=1)
            self.bytes_each = take_lines(self.subscribers[0], CHARACTERS)
            for client in self.subscribers[1:]:
                drop(client.socket, self.bytes_each)
        self.seconds = min(self.seconds, (cpu_seconds(self.server)[0] - seconds) / TICKS)
        self.writes = (count_writes(self.server) - writes) / TICKS


class BareWrites:
    """So many TCP sockets, and what it has taken at best to write to one of them."""

    def __init__(self, count, stack):
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=count))
        self.pairs = []
        for _ in range(count):
            sender = stack.enter_context(socket.create_connection(listener.getsockname()))
            sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 128 << 10)  # as the server's
            sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.pairs.append((sender.fileno(), stack.enter_context(listener.accept()[0])))
        self.seconds = float("inf")

    def run(self, writes, length):
        size, seconds = min(length // writes, MOST_AT_ONCE), 0.0
        for place in TICKS * list(range(0, length, size)):
            data = bytes(min(size, length - place))
            begin = time.thread_time()
            for sender, _ in self.pairs:
                os.write(sender, data)
            seconds += time.thread_time() - begin
            for _, reader in self.pairs:
                drop(reader, len(data))
        self.seconds = min(self.seconds, seconds / TICKS / len(self.pairs))


def take_lines(client, count):
    """The number of bytes."""
    return sum(len(client.read_line()) + 1 for _ in range(count))


def drop(connection, length):
    """Takes so many bytes, and copies none of them."""
    while length > 0:
        taken = connection.recv_into(SINK, min(length, len(SINK)), socket.MSG_TRUNC)
        if not taken:
            raise ConnectionError("the other side went away")
        length -= taken


def count_writes(server):
    """Of the loop's thread so far."""
    text = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/io").read_text()
    return int(dict(line.split(": ") for line in text.splitlines())["syscw"])


def print_view(name, view, scene):
    """The dearest ratio of what one subscriber more costs and of bare writes."""
    with ExitStack() as stack:
        streams = [Stream(count, view, scene, stack) for count in SUBSCRIBERS]
        bare = BareWrites(SUBSCRIBERS[-1], stack)
        cores = pin(stream.server for stream in streams)
        for _ in range(TURNS):
            for stream in streams:
                stream.run()
            last = streams[-1]
            each = (last.writes - streams[0].writes) / (SUBSCRIBERS[-1] - 1)
            bare.run(max(1, round(each)), last.bytes_each)
        os.sched_setaffinity(0, cores)
        for count, stream in zip(SUBSCRIBERS, streams):
            print(f"  {name:<10} {count:>11} {1e6 * stream.seconds:>9.0f}", end="")
            if count > 1:
                more = (stream.seconds - streams[0].seconds) / (count - 1)
                print(f" {1e6 * more:>13.1f} {(stream.writes - streams[0].writes) / (count - 1):>12.2f}"
                      f" {stream.bytes_each / 1e3:>8.1f} {1e6 * bare.seconds:>15.1f}", end="")
            print(flush=True)
        return more / bare.seconds


def print_subscribers():
    print(f"\nsubscribers of one view: {CHARACTERS} characters, CPU time of the loop's thread")
    print(f"  {'view':<10} {'subscribers':>11} {'tick us':>9} {'us each more':>13} {'writes each':>12} {'KB each':>8} "
          f"{'bare writes us':>15}", flush=True)
    with tempfile.TemporaryDirectory(prefix="tweed-bench-") as folder:
        scene = scene_of(CHARACTERS, folder)
        worst = max(print_view(name, view, scene) for name, view in VIEWS)
    print(f"  target  one of {SUBSCRIBERS[-1]} subscribers, times bare writes of the same bytes: <= {TARGET:g}, "
          f"measured {worst:.2f} ({'met' if worst <= TARGET else 'missed'})")
