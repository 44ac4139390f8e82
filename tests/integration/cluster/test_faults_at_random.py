"""Kills, freezes, cuts from the broker and restarts of it by seed: afterwards each character lives once, and streams, and
meanwhile no node has streamed a character that was another's."""
import os
import random
import signal
import time

import pytest
from brokers import owners
from cuts import Frames, Owners, Proxy
from harness import PATIENCE

ROUNDS = int(os.environ.get("TWEED_CLUSTER_ROUNDS", "20"))

# A node that can hear of it stops streaming a character so many seconds after another node's entry, at most.
GRACE = 3.0 * PATIENCE


class Fleet:
    """Nodes a and b, which suffer, and c, which watches. Those two reach the broker by proxies."""

    def __init__(self, cluster):
        self.cluster, self.servers, self.frames = cluster, {}, []
        self.proxies = {name: Proxy(cluster.broker.port) for name in "ab"}
        self.deaf = {name: [] for name in "abc"}  # spans of time in which the node could not hear of anything
        self.owners = None
        for name in "abc":
            self.start(name)
        self.watcher = self.servers["c"].client()
        cluster.wait_until(lambda: cluster.nodes(self.watcher) == ["a", "b", "c"])
        self.owners = Owners(cluster.broker.port)
        cluster.wait_until(lambda: self.owners.entries)
        for _, recorder in self.frames:
            recorder.seen.clear()

    def start(self, name):
        proxy = self.proxies.get(name)
        self.servers[name] = self.cluster.start(name, url=proxy and proxy.url)
        self.frames.append((name, Frames(self.servers[name])))

    def cut(self, chance):
        victim = chance.choice("ab")
        self.deaf[victim].append([time.monotonic(), float("inf")])
        self.proxies[victim].cut(silently=chance.random() < 0.5)
        time.sleep(chance.uniform(0.2, 5))
        self.proxies[victim].mend()
        # nats.c notices a silent connection by its pings; then it connects and watches anew
        self.cluster.wait_until(lambda: self.hears(victim), timeout=20)
        self.deaf[victim][-1][1] = time.monotonic()

    def hears(self, name):
        with self.servers[name].client() as client:
            described = client.request("server.describe", cluster=True)["cluster"]
        return described["connected"] and self.cluster.nodes(self.watcher) == ["a", "b", "c"]

    def kill(self, chance):
        victim = chance.choice("ab")
        self.servers[victim].process.kill()
        time.sleep(chance.uniform(0, 2))
        self.start(victim)

    def freeze(self, chance):
        victim = chance.choice("ab")
        begin = time.monotonic()
        self.servers[victim].process.send_signal(signal.SIGSTOP)
        time.sleep(chance.uniform(0.2, 3))
        self.servers[victim].process.send_signal(signal.SIGCONT)
        self.deaf[victim].append([begin, time.monotonic()])

    def stop_broker(self, chance):
        begin = time.monotonic()
        self.cluster.broker.kill()
        time.sleep(chance.uniform(0, 2.5))
        self.cluster.broker.start()
        for spans in self.deaf.values():
            spans.append([begin, time.monotonic() + 1.0])  # until it has connected again

    def simulated_by(self):
        """What each node simulates itself, as it says."""
        own = {}
        for name, server in self.servers.items():
            with server.client() as client:
                own[name] = client.subscribe(bones=["Hips"], static=False, redirect=True)["characters"]
        return own

    def could_hear(self, name, since):
        """From when on the node could hear of what was stored at that time."""
        for begin, end in sorted(self.deaf[name]):
            if begin - 0.5 < since < end:
                since = end
        return since

    def check_streams(self):
        """Each entry of the bucket is an epoch of one owner. Whoever streams a character has an entry, and stops when it
        can hear of another node's: so no two nodes stream a character of one epoch."""
        epochs, checked = {}, 0
        for when, character, node in list(self.owners.entries):
            epochs.setdefault(character, []).append((when, node))
        for name, recorder in self.frames:
            for when, character in list(recorder.seen):
                known = epochs.get(character, [])
                own = [i for i, (since, node) in enumerate(known) if node == name and since < when + GRACE]
                assert own, f"{name} streams {character}, which was never its own"
                later = known[own[-1] + 1:]
                lost = self.could_hear(name, later[0][0]) if later else float("inf")
                assert when < lost + GRACE, f"{name} streams {character} {when - lost:.2f} s after it was {later[0][1]}'s"
                checked += 1
            recorder.seen.clear()
        return checked


@pytest.mark.soak
def test_each_character_lives_once_after_any_fault(cluster):
    fleet = Fleet(cluster)
    names = {"alan"} | {f"guest {i}" for i in range(5)}
    for name in sorted(names - {"alan"}):
        fleet.watcher.request("character.spawn", script="characters/wake", name=name)
    for seed in range(ROUNDS):
        chance = random.Random(seed)
        time.sleep(1.0)  # the states are put, the beats are sure
        fault = chance.choice([fleet.kill, fleet.freeze, fleet.stop_broker, fleet.cut])
        fault(chance)

        def is_whole():
            simulated = sorted(name for each in fleet.simulated_by().values() for name in each)
            return owners(fleet.watcher).keys() == names and simulated == sorted(names)

        cluster.wait_until(is_whole, timeout=12)
        with fleet.servers["c"].client() as fresh:
            fresh.subscribe(bones=["Hips"], static=False)
            seen, deadline = set(), time.monotonic() + 10
            while seen != names:
                assert time.monotonic() < deadline, (seed, fault.__name__, names - seen)
                seen.add(fresh.event("stream.frame")["character"])
        assert fleet.check_streams() > 20, (seed, fault.__name__)
