"""What characters cost a whole server: skeleton, aims, cloth, and frames for one subscriber of the default view.

The server is paused and stepped by its subscriber, so that every tick is simulated, encoded and sent whole however
slow the machine is, and what is counted is the CPU time of its threads.
"""
import mmap
import os
import struct
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from harness import Server

CROWDS = (1, 16, 64, 256, 2048, 4096)
SLEEPERS = (256, 2048)
FLAT_FROM = 64  # characters, from where on one more must cost as much as any other
CHARACTER_TICKS = 1024  # of a run
RUNS = 12
SPACING = 2.5  # metres between characters
APART = (64, 256)  # characters that each jump at a moment of their own
JUMP_SECONDS = 22.8
GOLDEN_SHARE = 0.61803399  # its multiples are spread evenly


def scene_of(count, folder, clip=None):
    columns = round(count**0.5)
    params = f', params = {{ clip = "{clip}" }}' if clip else ""
    spawns = "\n".join(f'  {{ script = "characters/wake", name = "alan_{index}", '
                       f"position = {{ {index % columns * SPACING}, 0, {index // columns * SPACING} }}{params} }},"
                       for index in range(count))
    scene = Path(folder) / f"crowd_{count}.lua"
    scene.write_text(f'local tweed = require "tweed"\nreturn tweed.scene {{ ground = 0, spawn = {{\n{spawns}\n}} }}\n')
    return scene


def pin(servers):
    """Servers to one core, this process to the others: what the reader does is no part of the cost."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        for server in servers:
            for thread in os.listdir(f"/proc/{server.process.pid}/task"):
                os.sched_setaffinity(int(thread), cores[-1:])
        os.sched_setaffinity(0, cores[:-1])
    return cores


def cpu_seconds(server):
    """Of the loop's thread, and of the others, the workers."""
    tasks = Path(f"/proc/{server.process.pid}/task")
    seconds = {int(task.name): int((task / "schedstat").read_text().split()[0]) * 1e-9 for task in tasks.iterdir()}
    loop = seconds.pop(server.process.pid)
    return loop, sum(seconds.values())


def step(client, ticks):
    """Steps, and drops the frames unread but for the end, where the reply is: reading costs time, too."""
    wanted = b'"id":%d' % client.start("simulation.step", ticks=ticks)
    tail = b""
    while wanted not in tail or not tail.endswith(b"\n"):
        data = client.socket.recv(1 << 20)
        if not data:
            raise ConnectionError("the server went away")
        tail = (tail + data)[-max(len(data), 256):]


class Crowd:
    """A server of so many, and the least seconds that a tick has taken: both threads', the loop's, the workers'."""

    def __init__(self, count, folder, stack, clip=None, subscribes=True, apart=False):
        begin = time.monotonic()
        self.count = count
        self.server = stack.enter_context(Server("--threads", 1, scene=scene_of(count, folder, clip)))
        self.spawned = time.monotonic() - begin
        self.client = self.server.client(timeout=60.0)
        for index in range(count if apart else 0):
            self.client.request("character.play", character=f"alan_{index}", clip="jump", loop=True, fade=0,
                                at=index * GOLDEN_SHARE % 1 * JUMP_SECONDS)
        if subscribes:
            self.client.subscribe()
        self.best = (float("inf"),) * 3
        step(self.client, 8)

    def run(self):
        ticks = max(2, CHARACTER_TICKS // self.count)
        before = cpu_seconds(self.server)
        step(self.client, ticks)
        loop, workers = (after - start for after, start in zip(cpu_seconds(self.server), before))
        self.best = min(self.best, ((loop + workers) / ticks, loop / ticks, workers / ticks))

    def print_row(self):
        both, loop, workers = (1e6 * seconds / self.count for seconds in self.best)
        print(f"  {self.count:>10,} {workers:>16.1f} {loop:>13.1f} {both:>8.1f} {1e6 / 60 / both:>18.0f} "
              f"{1e3 * self.best[0]:>8.2f} {self.spawned:>8.2f} {self.server.resident_bytes() / 2**20:>12.1f}")


def print_crowds():
    """All servers stand at once and take turns, so that the ratio of two is of the same seconds."""
    print("\nwhole servers: the shipped character, jacket and hood, 60 Hz, one worker, one subscriber of the default view")
    print(f"  {'characters':>10} {'workers us each':>16} {'loop us each':>13} {'both':>8} {'per core at 60 Hz':>18} "
          f"{'tick ms':>8} {'start s':>8} {'resident MB':>12}", flush=True)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tweed-bench-"))
        crowds = [Crowd(count, folder, stack) for count in CROWDS]
        apart = [Crowd(count, folder, stack, apart=True) for count in APART]
        cores = pin(crowd.server for crowd in crowds + apart)
        for _ in range(RUNS):
            for crowd in crowds + apart:
                crowd.run()
        os.sched_setaffinity(0, cores)
        for crowd in crowds:
            crowd.print_row()
        print("  each at a moment of the jump of its own:")
        for crowd in apart:
            crowd.print_row()
        flat = [crowd.best[0] / crowd.count for crowd in crowds if crowd.count >= FLAT_FROM]
    ratio = max(flat) / min(flat)
    print(f"  target  dearest character / cheapest, from {FLAT_FROM} to {CROWDS[-1]:,}: <= 1.15, measured {ratio:.2f} "
          f"({'met' if ratio <= 1.15 else 'missed'})")


class Sleepers(Crowd):
    """Of whom nothing is asked: they stand still, and what they cost without a subscriber is measured before and
    after their cloth has come to rest."""

    def __init__(self, count, folder, stack):
        super().__init__(count, folder, stack, clip="stand", subscribes=False)
        pin([self.server])
        self.awake = self.measure()
        garments, ticks = self.client.request("server.stats")["garments"], 0
        while (asleep := self.client.request("server.stats")["asleep"]) < garments:
            assert ticks < 30 * 60, f"after 30 s {garments - asleep} garments of {garments} are awake"
            step(self.client, 60)
            ticks += 60
        self.asleep = self.measure()

    def measure(self):
        self.best = (float("inf"),) * 3
        for _ in range(3):
            self.run()
        return self.best

    def print_row(self):
        awake, asleep = ([1e6 * seconds / self.count for seconds in best[1:]] for best in (self.awake, self.asleep))
        print(f"  {self.count:>10,} {awake[1]:>14.2f} {awake[0]:>14.2f} {asleep[1]:>15.3f} {asleep[0]:>14.3f} "
              f"{100 * self.share():>12.2f} %")

    def share(self):
        return self.asleep[0] / self.awake[0]


def print_sleepers():
    print("\nwho stands still, awake and asleep: the same characters, one worker, no subscriber; us each a tick")
    print(f"  {'characters':>10} {'awake, workers':>14} {'awake, loop':>14} {'asleep, workers':>15} "
          f"{'asleep, loop':>14} {'of the cost':>14}", flush=True)
    cores, shares = os.sched_getaffinity(0), []
    for count in SLEEPERS:
        with ExitStack() as stack:
            sleepers = Sleepers(count, stack.enter_context(tempfile.TemporaryDirectory(prefix="tweed-bench-")), stack)
            os.sched_setaffinity(0, cores)
            sleepers.print_row()
            shares.append(sleepers.share())
    share = max(shares)
    print(f"  target  asleep / awake: <= 0.02, measured {share:.4f} ({'met' if share <= 0.02 else 'missed'})")


def count_allocations(build, count=16, ticks=100):
    """Calls of the allocator in one tick of a server with one subscriber; None where they cannot be counted."""
    library = build / "bench/tweed_count_allocations.so"
    with tempfile.TemporaryDirectory(prefix="tweed-bench-") as folder:
        counts = Path(folder) / "allocations"
        counts.write_bytes(bytes(16))
        os.environ |= {"LD_PRELOAD": str(library), "BENCH_ALLOCATIONS": str(counts)}
        try:
            server = Server("--threads", 1, scene=scene_of(count, folder))
        finally:
            del os.environ["LD_PRELOAD"], os.environ["BENCH_ALLOCATIONS"]
        with server, open(counts, "rb") as file, mmap.mmap(file.fileno(), 16, prot=mmap.PROT_READ) as shared:
            def requests():
                return struct.unpack_from("<Q", shared)[0]
            client = server.client(timeout=60.0)
            client.subscribe()
            seen = []
            for length in (ticks, ticks, 2 * ticks):  # the first warms up; the others differ by ticks alone
                before = requests()
                step(client, length)
                seen.append(requests() - before)
            return (seen[2] - seen[1]) / ticks if requests() else None


def print_allocations(build):
    found = count_allocations(build)
    print("\nallocations of a whole server in a tick: 16 characters, one subscriber")
    print("  cannot be counted here" if found is None else f"  target  none: <= 0, measured {found:.2f} "
          f"({'met' if found <= 0 else 'missed'})")
