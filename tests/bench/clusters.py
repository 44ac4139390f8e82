"""What a cluster costs: characters shared out over nodes, requests and frames that pass through another node, how long
the characters of a dead node are gone, and how far apart nodes simulate equal ticks. All nodes run on this machine.
"""
import re
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "integration/cluster"))
from brokers import PROGRAM, Broker, Cluster, owners  # noqa: E402

from crowds import SPACING, cpu_seconds, scene_of  # noqa: E402

NODES = (1, 2, 3)
CHARACTERS = 96  # of each cluster: full groups of lanes however they are shared out
TURNS, TURN_TICKS = 6, 48
IDLE_SECONDS = 3
REQUESTS = 2000
FORWARDED = 16  # characters whose frames a gateway passes on
GATEWAY_SECONDS = 10
KILLS = 20
CLOCK_SECONDS = 30
MESSAGE_CHARACTERS = 30
MESSAGE_SECONDS = 10


@contextmanager
def cluster_of(broker, *names, scene):
    """A cluster of its own on the broker, with a client of each node."""
    cluster = Cluster(broker, [])
    cluster_of.number = getattr(cluster_of, "number", 0) + 1
    try:
        for name in names:
            cluster.start(name, "--threads", 1, "--cluster-name", f"bench{cluster_of.number}", scene=scene)
        clients = [server.client(timeout=60.0) for server in cluster.servers]
        for client in clients:
            cluster.wait_until(lambda client=client: cluster.nodes(client) == sorted(names), timeout=30)
        yield cluster, clients
    finally:
        for server in cluster.servers:
            server.kill()


def spawn(client, node, count, first=0):
    for i in range(first, first + count):
        client.request("character.spawn", 60, script="characters/wake", name=f"{node} {i}", node=node,
                       position=[i % 10 * SPACING, 0, i // 10 * SPACING])


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


class Shared:
    """So many nodes, each with its part of the characters, and no subscriber, since with several nodes more of the frames
    would be taken. All are paused and step together, so that no tick is left out however busy the machine is. What a node takes without characters, ticking or paused, is
    measured apart: it grows with the time and not with the work."""

    def __init__(self, broker, count, scene, stack):
        names = "abc"[:count]
        self.count = count
        self.cluster, self.clients = stack.enter_context(cluster_of(broker, *names, scene=scene))
        self.idle = self.share()
        for name in names:
            spawn(self.clients[0], name, CHARACTERS // count)
        self.clients[0].request("simulation.pause", 60)
        self.paused = self.share()
        self.run()
        self.best = float("inf")

    def run(self):
        before, begin = self.seconds(), time.monotonic()
        self.clients[0].request("simulation.step", 60, ticks=TURN_TICKS)
        work = self.seconds() - before - self.paused * (time.monotonic() - begin)
        self.best = min(getattr(self, "best", work), work / TURN_TICKS)

    def share(self):
        """Of one core, as long as nothing is asked."""
        before = self.seconds()
        time.sleep(IDLE_SECONDS)
        return (self.seconds() - before) / IDLE_SECONDS

    def seconds(self):
        return sum(sum(cpu_seconds(server)) for server in self.cluster.servers)

    def at_60_hz(self):
        """Seconds a tick."""
        return self.best + self.idle / 60


def print_shared(broker, scene):
    print(f"\n{CHARACTERS} characters on 1, 2, 3 nodes: CPU time of all nodes, without subscribers")
    print(f"  {'nodes':>5} {'us a character and tick':>24} {'a node without characters':>26} {'all at 60 Hz':>13} "
          f"{'beside one node':>16}", flush=True)
    with ExitStack() as stack:
        shared = [Shared(broker, count, scene, stack) for count in NODES]
        for _ in range(TURNS):
            for each in shared:
                each.run()
        one = shared[0].at_60_hz()
        for each in shared:
            print(f"  {each.count:>5} {1e6 * each.best / CHARACTERS:>24.1f} {100 * each.idle / each.count:>24.2f} % "
                  f"{1e3 * each.at_60_hz():>10.2f} ms {each.at_60_hz() / one:>16.3f}")
        worst = max(each.best for each in shared) / shared[0].best
    print(f"  target  a character of several nodes / of one: <= 1.10, measured {worst:.3f} "
          f"({'met' if worst <= 1.10 else 'missed'})", flush=True)


def print_requests(broker, scene):
    """Local and forwarded ones take turns at one connection, while both nodes tick."""
    with cluster_of(broker, "a", "b", scene=scene) as (_, clients):
        for node in "ab":
            spawn(clients[0], node, 1)
        times = {"a": [], "b": []}
        for i in range(2 * REQUESTS):
            node = "ab"[i % 2]
            begin = time.perf_counter()
            clients[0].request("fabric.get", character=f"{node} 0", garment="jacket")
            times[node].append(time.perf_counter() - begin)
    print(f"\nrequests at node a: fabric.get of a character there, and of one on node b; {REQUESTS:,} each")
    print(f"  {'':<10} {'p50 us':>8} {'p99 us':>8}")
    for name, node in (("local", "a"), ("forwarded", "b")):
        print(f"  {name:<10} {1e6 * statistics.median(times[node]):>8.0f} {1e6 * percentile(times[node], 0.99):>8.0f}",
              flush=True)


def print_gateway(broker, scene):
    """What the frames of another node's characters cost the node that passes them on."""
    with cluster_of(broker, "gateway", "owner", scene=scene) as (cluster, clients):
        spawn(clients[0], "owner", FORWARDED)
        gateway = cluster.servers[0]
        before = sum(cpu_seconds(gateway))
        time.sleep(GATEWAY_SECONDS)
        idle = sum(cpu_seconds(gateway)) - before
        clients[0].subscribe(static=False)
        taken, frames = drain(clients[0].socket, 1.0)
        before = sum(cpu_seconds(gateway))
        taken, frames = drain(clients[0].socket, GATEWAY_SECONDS)
        busy = sum(cpu_seconds(gateway)) - before
    print(f"\nframes that node a passes on: {FORWARDED} characters of node b, all bones, {GATEWAY_SECONDS} s")
    print(f"  {'frames':>8} {'bytes each':>11} {'us each':>8} {'gateway idle, CPU':>18} {'busy':>7}")
    print(f"  {frames:>8,} {taken / frames:>11,.0f} {1e6 * (busy - idle) / frames:>8.1f} "
          f"{100 * idle / GATEWAY_SECONDS:>16.2f} % {100 * busy / GATEWAY_SECONDS:>5.1f} %", flush=True)


def drain(connection, seconds):
    """Bytes and lines that come in so many seconds."""
    taken = lines = 0
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        connection.settimeout(left)
        try:
            data = connection.recv(1 << 20)
        except (TimeoutError, socket.timeout):
            break
        taken += len(data)
        lines += data.count(b"\n")
    return taken, lines


def print_failover(broker, scene):
    """From kill -9 of a node to the first frame of each of its characters by another one."""
    gaps = []
    with cluster_of(broker, "a", "b", "c", scene=scene) as (cluster, clients):
        name = next(word for word in cluster.servers[0].command if str(word).startswith("bench"))
        spawn(clients[2], "a", 6)
        watcher = clients[2]
        watcher.subscribe(bones=["Hips"], static=False)
        for i in range(KILLS):
            victim = "ab"[i % 2]
            servers = {server.command[server.command.index("--node") + 1]: server for server in cluster.servers
                       if server.process.poll() is None}
            time.sleep(2.5)  # the states are stored, the beats are sure
            mine = {character for character, node in owners(watcher).items() if node == victim}
            watcher.drain()
            watcher.kept.clear()
            begin = time.monotonic()
            servers[victim].process.kill()
            waiting = set(mine)
            spawned = set()
            while waiting:
                message = watcher.next_notification(timeout=20)
                character = message["params"].get("character")
                if message["method"] == "character.spawned":
                    spawned.add(character)
                elif message["method"] == "stream.frame" and character in spawned & waiting:
                    waiting.discard(character)
                    gaps.append(time.monotonic() - begin)
            cluster.start(victim, "--threads", 1, "--cluster-name", name, scene=scene)
            cluster.wait_until(lambda: cluster.nodes(watcher) == ["a", "b", "c"], timeout=30)
            if not any(node == "ab"[(i + 1) % 2] for node in owners(watcher).values()):
                spawn(watcher, "ab"[(i + 1) % 2], 1, first=100 + i)
    print(f"\nfailover: {KILLS} nodes killed, {len(gaps)} characters; seconds to the first frame of the next node")
    print(f"  {'p50':>6} {'p95':>6} {'max':>6}")
    print(f"  {statistics.median(gaps):>6.2f} {percentile(gaps, 0.95):>6.2f} {max(gaps):>6.2f}", flush=True)


def measure_clock(clients, seconds):
    """Distances in ms between the first and the last node's frame of equal ticks, in the order of the ticks."""
    seen = [{} for _ in clients]
    selector = selectors.DefaultSelector()
    for client, times in zip(clients, seen):
        selector.register(client.socket, selectors.EVENT_READ, times)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for key, _ in selector.select(1):
            data, now = key.fileobj.recv(1 << 16), time.monotonic()
            for part in data.split(b'"tick":')[1:]:
                key.data[int(part.split(b",")[0])] = now
    ticks = sorted(set.intersection(*(set(times) for times in seen)))
    return [1e3 * (max(times[tick] for times in seen) - min(times[tick] for times in seen)) for tick in ticks]


def are_on_time(client):
    """Whether no node is behind: one that has loaded a script has to make up for it."""
    nodes = client.request("server.describe", cluster=True)["cluster"]["nodes"]
    return all(abs(node["ticks_behind"]) <= 1 for node in nodes)


def print_clock(broker, scene):
    """Of the best second too, in which no node was kept from its processor."""
    with cluster_of(broker, "a", "b", "c", scene=scene) as (cluster, clients):
        readers = [server.client(timeout=60.0) for server in cluster.servers]
        for node, reader in zip("abc", readers):
            spawn(clients[0], node, 1)
            reader.subscribe(characters=[f"{node} 0"], bones=["Hips"], static=False, redirect=True, policy="queue")
        print(f"\nclock: the distance between frames of one tick on 3 nodes, one character each, {CLOCK_SECONDS} s; ms")
        print(f"  {'':<28} {'best second':>12} {'p50':>8} {'p99':>8} {'max':>8} {'ticks':>6}")
        for name, load in (("nothing else", 0), ("two busy processes beside", 2)):
            cluster.wait_until(lambda: are_on_time(clients[0]), timeout=60)
            for reader in readers:
                drain(reader.socket, 0.2)
            busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(load)]
            try:
                apart = measure_clock(readers, CLOCK_SECONDS)
            finally:
                for process in busy:
                    process.kill()
                    process.wait()
            best = min(statistics.median(apart[i:i + 60]) for i in range(0, max(1, len(apart) - 60), 20))
            print(f"  {name:<28} {best:>12.2f} {statistics.median(apart):>8.2f} {percentile(apart, 0.99):>8.2f} "
                  f"{max(apart):>8.2f} {len(apart):>6}", flush=True)


def count_messages(port, seconds):
    """Messages and bytes with their subjects, by kind, that the broker takes or brings: {kind: [number, bytes]}."""
    kinds = {}
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        lines = connection.makefile("rb")
        connection.sendall(b'CONNECT {"verbose":false,"headers":true}\r\nSUB > 1\r\n')
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            words = lines.readline().split()
            if words[0] == b"PING":
                connection.sendall(b"PONG\r\n")
            if words[0] in (b"MSG", b"HMSG"):
                length, parts = int(words[-1]), words[1].decode().split(".")
                lines.read(length + 2)
                kind = "answers of the broker" if parts[0] == "_INBOX" else parts[1] if parts[0] == "$KV" else parts[2]
                counted = kinds.setdefault(re.sub(r"^bench\d+_", "", kind), [0, 0])
                counted[0] += 1
                counted[1] += length + len(words[1])
    return kinds


def print_messages(broker, scene):
    print(f"\nmessages of the broker, 3 nodes, {MESSAGE_CHARACTERS} characters, {MESSAGE_SECONDS} s; nodes: put and brought to "
          "each of 3")
    print(f"  {'kind':<24} {'without characters':>20} {'with':>10} {'bytes each':>11}")
    with cluster_of(broker, "a", "b", "c", scene=scene) as (_, clients):
        time.sleep(2)
        before = count_messages(broker.port, MESSAGE_SECONDS)
        for node in "abc":
            spawn(clients[0], node, MESSAGE_CHARACTERS // 3)
        time.sleep(2)
        after = count_messages(broker.port, MESSAGE_SECONDS)
    for kind in sorted(after):
        number, length = after[kind]
        print(f"  {kind:<24} {before.get(kind, [0])[0] / MESSAGE_SECONDS:>18.1f}/s {number / MESSAGE_SECONDS:>8.1f}/s "
              f"{length / number:>11.0f}", flush=True)


def print_clusters():
    if PROGRAM is None:
        print("\nclusters: there is no nats-server (Debian: nats-server)")
        return
    broker = Broker()
    try:
        with tempfile.TemporaryDirectory(prefix="tweed-bench-") as folder:
            scene = scene_of(0, folder)
            for part in (print_clock, print_shared, print_requests, print_gateway, print_messages, print_failover):
                part(broker, scene)
    finally:
        broker.finish()
