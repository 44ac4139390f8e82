"""`tweed stats` of a node, and `./dev cluster`."""
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from brokers import PROGRAM, owners
from counter import counters
from harness import BINARY, ROOT, SANITIZED, WAKE, Client, light_assets, run, wait_until
from web import get

PROMTOOL = next((path for path in (shutil.which("promtool"), ROOT / "build/prometheus/usr/bin/promtool")
                 if path and Path(path).exists()), None)


def test_stats_show_all_nodes(cluster):
    servers, clients = cluster.of("a", "b")

    def lines_if_all():  # what a node says of itself reaches the others a moment later, and may be late on a busy machine
        nodes = clients[1].request("server.stats")["cluster"]["nodes"]
        lines = run("stats", "--connect", "127.0.0.1:%d" % servers[1].address[1]).stdout.splitlines()
        return [node["characters"] for node in nodes] == [1, 0] and len(lines) > 3 and lines[-2].startswith("a ") and lines

    lines = cluster.wait_until(lines_if_all)
    at = lines.index("cluster tweed, asked at node b")
    assert lines[at + 1].split() == ["node", "address", "state", "characters", "load", "tick", "behind", "skipped",
                                      "version"]
    port = servers[0].address[1]
    assert re.fullmatch(rf"a +127\.0\.0\.1:{port} +runs +1 +\d+ % +\d+ +-?\d+ +\d+  \d+\.\d+\.\d+", lines[at + 2])
    assert lines[at + 3].startswith("b ") and len(lines) == at + 4
    clients[0].request("cluster.drain", node="b")
    clients[0].request("simulation.pause")

    def states():
        lines = run("stats", "--connect", "127.0.0.1:%d" % servers[0].address[1]).stdout.splitlines()
        return [line.split()[2] for line in lines[-2:]]

    cluster.wait_until(lambda: states() == ["paused", "drained"])


def test_metrics_name_cluster_and_node(cluster):
    a, b = (cluster.start(name, http=True) for name in "ab")
    client = b.client()
    cluster.wait_until(lambda: cluster.nodes(client) == ["a", "b"])
    client.request("character.describe", character="alan")
    text = get(b, "/metrics").body.decode()
    samples = dict(line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")
    assert all('{cluster="tweed",node="b"' in name for name in samples)
    assert samples['tweed_characters_by_level{cluster="tweed",node="b",level="full"}'] == "0"
    names = ("connected", "nodes", "characters", "forwarded_requests_total")
    assert [samples['tweed_cluster_%s{cluster="tweed",node="b"}' % name] for name in names] == ["1", "2", "1", "1"]
    if PROMTOOL:
        checked = subprocess.run([PROMTOOL, "check", "metrics"], input=text.encode(), capture_output=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, b"")
    a.client().request("cluster.move", character="alan", node="b")
    text = get(a, "/metrics").body.decode()
    assert 'tweed_cluster_forwarded_requests_total{cluster="tweed",node="a"} 0\n' in text, "the nodes' own are not counted"


def test_a_recording_lasts_its_ticks_while_a_node_stands_still(cluster, tmp_path):
    """A new subscription of a view begins with the newest frame of each character, here an old one."""
    servers, clients = counters(cluster, tmp_path)
    clients[0].request("character.spawn", script="characters/counter", name="far", node="b")
    clients[0].subscribe()
    clients[0].event("stream.frame", character="far")
    servers[1].process.send_signal(signal.SIGSTOP)
    tick = clients[0].request("session.ping")["tick"]
    cluster.wait_until(lambda: clients[0].request("session.ping")["tick"] > tick + 10)
    result = run("record", tmp_path / "far.ndjson", "--ticks", 30, "--connect", "127.0.0.1:%d" % servers[0].address[1])
    first, last = map(int, re.search(r"ticks (\d+) to (\d+)", result.stderr).groups())
    assert (result.returncode, last - first) == (0, 29), result.stderr
    lines = (tmp_path / "far.ndjson").read_bytes().splitlines()
    assert any(b'"far"' in line for line in lines if b'"stream.frame"' in line), "what was sent is recorded"


def test_a_cluster_on_this_machine():
    command = [sys.executable, ROOT / "tests/tools/cluster.py", BINARY, PROGRAM, "2", WAKE, "--no-http", "--no-shed",
               *(light_assets() if SANITIZED else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            text = ""
            while "Ctrl-C" not in text:
                line = process.stdout.readline()
                assert line, text
                text += line
            ports = [int(port) for port in re.findall(r"node\d  127\.0\.0\.1:(\d+)", text)]
            pids = [int(pid) for pid in re.findall(r"process (\d+)", text)]
            with Client(("127.0.0.1", ports[1])) as client:
                wait_until(lambda: owners(client) == {"alan": "node1"})
                subprocess.run(["kill", "-9", str(pids[0])], check=True)
                wait_until(lambda: owners(client) == {"alan": "node2"})
        finally:
            process.send_signal(signal.SIGINT)
            rest = process.stdout.read()
        assert process.wait(20) == 0 and "ended" in rest
    wrong = subprocess.run([*command[:4], "many", WAKE], capture_output=True, text=True, check=False)
    assert wrong.returncode == 1 and "expected 1 to 32 nodes, found many" in wrong.stderr
