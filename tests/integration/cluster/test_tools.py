"""`tweed stats` of a node, and `./dev cluster`."""
import json
import re
import signal
import subprocess
import sys
import time

from brokers import PROGRAM, owners
from harness import BINARY, PATIENCE, ROOT, SANITIZED, WAKE, Client, light_assets, run


def test_stats_show_all_nodes(cluster):
    servers, clients = cluster.of("a", "b")

    def lines_if_all():  # what a node says of itself reaches the others a moment later, and may be late on a busy machine
        nodes = clients[1].request("server.stats")["cluster"]["nodes"]
        lines = run("stats", "--connect", "127.0.0.1:%d" % servers[1].address[1]).stdout.splitlines()
        return [node["characters"] for node in nodes] == [1, 0] and len(lines) > 3 and lines[-2].startswith("a ") and lines

    lines = cluster.wait_until(lines_if_all)
    at = lines.index("cluster tweed, asked at node b")
    assert lines[at + 1].split() == ["node", "address", "characters", "load", "tick", "skipped", "version"]
    port = servers[0].address[1]
    assert re.fullmatch(rf"a +127\.0\.0\.1:{port} +1 +\d+ % +\d+ +\d+  \d+\.\d+\.\d+", lines[at + 2])
    assert lines[at + 3].startswith("b ") and len(lines) == at + 4


def wait_for_owner(client, node):
    deadline = time.monotonic() + 10 * PATIENCE
    while owners(client) != {"alan": node}:
        assert time.monotonic() < deadline, json.dumps(owners(client))
        time.sleep(0.05)


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
                wait_for_owner(client, "node1")
                subprocess.run(["kill", "-9", str(pids[0])], check=True)
                wait_for_owner(client, "node2")
        finally:
            process.send_signal(signal.SIGINT)
            rest = process.stdout.read()
        assert process.wait(20) == 0 and "ended" in rest
    wrong = subprocess.run([*command[:4], "many", WAKE], capture_output=True, text=True, check=False)
    assert wrong.returncode == 1 and "expected 1 to 32 nodes, found many" in wrong.stderr
