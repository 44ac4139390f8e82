"""Kills, freezes and restarts of the broker by seed: afterwards each character lives once, and streams."""
import os
import random
import signal
import time

import pytest
from brokers import owners

ROUNDS = int(os.environ.get("TWEED_CLUSTER_ROUNDS", "20"))


class Fleet:
    """Nodes a and b, which suffer, and c, which watches."""

    def __init__(self, cluster):
        self.cluster, self.servers = cluster, {}
        for name in "abc":
            self.servers[name] = cluster.start(name)
        self.watcher = self.servers["c"].client()
        cluster.wait_until(lambda: cluster.nodes(self.watcher) == ["a", "b", "c"])

    def kill(self, chance):
        victim = chance.choice("ab")
        self.servers[victim].process.kill()
        time.sleep(chance.uniform(0, 2))
        self.servers[victim] = self.cluster.start(victim)

    def freeze(self, chance):
        process = self.servers[chance.choice("ab")].process
        process.send_signal(signal.SIGSTOP)
        time.sleep(chance.uniform(0.2, 3))
        process.send_signal(signal.SIGCONT)

    def stop_broker(self, chance):
        self.cluster.broker.kill()
        time.sleep(chance.uniform(0, 2.5))
        self.cluster.broker.start()

    def simulated_by(self):
        """What each node simulates itself, as it says."""
        own = {}
        for name, server in self.servers.items():
            with server.client() as client:
                own[name] = client.subscribe(bones=["Hips"], static=False, redirect=True)["characters"]
        return own


@pytest.mark.soak
def test_each_character_lives_once_after_any_fault(cluster):
    fleet = Fleet(cluster)
    names = {"alan"} | {f"guest {i}" for i in range(5)}
    for name in sorted(names - {"alan"}):
        fleet.watcher.request("character.spawn", script="characters/wake", name=name)
    for seed in range(ROUNDS):
        chance = random.Random(seed)
        time.sleep(1.0)  # the states are put, the beats are sure
        fault = chance.choice([fleet.kill, fleet.freeze, fleet.stop_broker])
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
