#!/usr/bin/env python3
"""A cluster on this machine, for `./dev cluster`: a NATS server with JetStream and N nodes, which end with it.

    cluster.py TWEED NATS-SERVER NODES SCENE [OPTION of tweed serve]...

On a terminal it shows how the nodes are doing, once a second.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def start_broker(program, folder):
    """nats-server on a free port; gives the process and its URL."""
    with open(folder / "nats.log", "ab") as log:
        process = subprocess.Popen([program, "-js", "-sd", folder, "-a", "127.0.0.1", "-p", "-1", "--ports_file_dir",
                                    folder], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    ports = folder / f"nats-server_{process.pid}.ports"
    wait_for(lambda: ports.exists() and ports.read_text(), process, folder / "nats.log")
    return process, json.loads(ports.read_text())["nats"][0]


def start_node(tweed, folder, url, number, scene, options):
    """A node on free ports; gives the process and its TCP port."""
    ports, log_path = folder / f"node{number}.json", folder / f"node{number}.log"
    command = [tweed, "serve", scene, "--cluster", url, "--node", f"node{number}", "--listen", "127.0.0.1:0", "--http",
               "127.0.0.1:0", "--port-file", ports, *options]
    with open(log_path, "wb") as log:
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   start_new_session=True)
    wait_for(ports.exists, process, log_path)
    return process, json.loads(ports.read_text())


def wait_for(condition, process, log):
    deadline = time.monotonic() + 60
    while not condition():
        if process.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"it did not start:\n{log.read_text(errors='replace')}")
        time.sleep(0.02)


def describe(tweed, folder, url, nodes):
    call = f"{tweed} call --connect 127.0.0.1:{nodes[-1][1]['tcp']}"
    lines = [f"A cluster of {len(nodes)} nodes on {url}; logs and data in {folder}", ""]
    for number, (process, ports) in enumerate(nodes, 1):
        page = f", page http://127.0.0.1:{ports['http']}/" if "http" in ports else ""
        lines.append(f"  node{number}  127.0.0.1:{ports['tcp']}{page}, process {process.pid}")
    lines += ["", "In another terminal:", f"""  {call} character.spawn '{{"script":"characters/wake"}}'""",
              f"  {call} character.list", f"  {tweed} watch --connect 127.0.0.1:{nodes[-1][1]['tcp']}",
              f"  kill -9 {nodes[0][0].pid}     # its characters go on elsewhere", "", "Ctrl-C ends all of it.", ""]
    return "\n".join(lines)


def status(tweed, nodes):
    """The cluster's part of `tweed stats`, of a node that lives."""
    for process, ports in nodes:
        if process.poll() is None:
            shown = subprocess.run([tweed, "stats", "--connect", f"127.0.0.1:{ports['tcp']}", "--timeout", "5"],
                                   capture_output=True, text=True, check=False).stdout
            return shown[shown.find("\ncluster "):]
    return "\nno node is left\n"


def end(processes):
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
    for process in processes:
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()


def main():
    tweed, nats, count, scene, *options = sys.argv[1:]
    if not count.isdigit() or not 1 <= int(count) <= 32:
        sys.exit(f"cluster: expected 1 to 32 nodes, found {count}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    folder = Path(tempfile.mkdtemp(prefix="tweed-cluster-"))
    broker, url = start_broker(nats, folder)
    nodes = []
    try:
        for number in range(1, int(count) + 1):
            nodes.append(start_node(tweed, folder, url, number, scene, options))
        text = describe(tweed, folder, url, nodes)
        print(text, flush=True)
        while any(process.poll() is None for process, _ in nodes):
            if sys.stdout.isatty():
                print(f"\x1b[H\x1b[2J{text}{status(tweed, nodes)}", flush=True)
            time.sleep(1)
    except KeyboardInterrupt:
        pass
    finally:
        end([process for process, _ in reversed(nodes)])
        end([broker])
        print(f"ended; its logs are in {folder}")


if __name__ == "__main__":
    os.umask(0o077)
    main()
