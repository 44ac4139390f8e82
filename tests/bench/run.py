#!/usr/bin/env python3
"""Prints this machine, then the rows of every benchmark program (bench_*.c), then what a whole server can carry."""
import os
import platform
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "integration"))
from harness import ROOT, Server  # noqa: E402

CROWDS = (1, 16, 64)
WARM_UP, MEASURED = 1.0, 11.0  # seconds; server.stats looks back over the last 600 ticks
SPACING = 2.5  # metres between characters


def first_line(*command):
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return result.stdout.splitlines()[0] if result.returncode == 0 and result.stdout else "unknown"


def print_machine(build):
    model = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    cache = (build / "CMakeCache.txt").read_text()
    compiler = re.search(r"CMAKE_C_COMPILER:\w+=(.*)", cache)[1]
    changed = " + local changes" if first_line("git", "status", "--porcelain", "-uno") != "unknown" else ""
    print(f"machine   {model[1] if model else platform.machine()}, {os.cpu_count()} cores, "
          f"{platform.system()} {platform.release()}")
    print(f"compiler  {first_line(compiler, '--version')}")
    print(f"commit    {first_line('git', 'rev-parse', '--short', 'HEAD')}{changed}")


def run_programs(build):
    for program in sorted((build / "bench").glob("bench_*")):
        if os.access(program, os.X_OK) and program.is_file():
            print(f"\n{program.name.removeprefix('bench_').replace('_', ' ')}", flush=True)
            subprocess.run([program], check=True)


def crowd_scene(count, folder):
    columns = round(count**0.5)
    spawns = "\n".join(f'  {{ script = "characters/wake", name = "alan_{index}", '
                       f"position = {{ {index % columns * SPACING}, 0, {index // columns * SPACING} }} }},"
                       for index in range(count))
    scene = folder / f"crowd_{count}.lua"
    scene.write_text(f'local tweed = require "tweed"\nreturn tweed.scene {{ ground = 0, spawn = {{\n{spawns}\n}} }}\n')
    return scene


def cpu_seconds(server):
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def read_all(client):
    """What a subscriber costs the server, and as little as may be beside it."""
    room = bytearray(1 << 20)
    try:
        while client.socket.recv_into(room):
            pass
    except OSError:
        pass


def measure_crowd(count, folder):
    """Statistics of a running crowd with one subscriber of the default view, and the CPU it takes, in cores."""
    with Server("--threads", 1, scene=crowd_scene(count, folder), paused=False) as server:
        subscriber, control = server.client(), server.client()
        subscriber.subscribe()
        subscriber.socket.settimeout(60)
        threading.Thread(target=read_all, args=(subscriber,), daemon=True).start()
        time.sleep(WARM_UP)
        begin, cpu = time.monotonic(), cpu_seconds(server)
        time.sleep(MEASURED)
        cores = (cpu_seconds(server) - cpu) / (time.monotonic() - begin)
        return control.request("server.stats", 60), cores


def print_crowds():
    print("\ncharacters at 60 Hz, one worker thread, one subscriber of the default view (the shipped jacket and hood)")
    print(f"{'characters':>10} {'work p50 ms':>12} {'p95 ms':>8} {'max ms':>8} {'skipped':>8} {'us each':>8} "
          f"{'CPU cores':>10} {'per core, by work':>18} {'by CPU':>8}")
    with tempfile.TemporaryDirectory(prefix="tweed-bench-") as folder:
        for count in CROWDS:
            stats, cores = measure_crowd(count, Path(folder))
            work = stats["work_ms"]
            print(f"{count:>10} {work['p50']:>12.3f} {work['p95']:>8.3f} {work['max']:>8.3f} {stats['ticks_skipped']:>8} "
                  f"{1000 * work['p50'] / count:>8.1f} {cores:>10.3f} {count * 1000 / 60 / work['p50']:>18.0f} "
                  f"{count / max(cores, 1e-3):>8.0f}", flush=True)


def main():
    build = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/release"
    print_machine(build)
    run_programs(build)
    print_crowds()


if __name__ == "__main__":
    main()
