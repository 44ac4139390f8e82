#!/usr/bin/env python3
"""Prints this machine, then the tables of tweed_bench, then what whole servers can carry. See tests/bench/README.md."""
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "integration"))
from harness import ROOT  # noqa: E402

import crowds  # noqa: E402

TABLES = ("links", "ticks", "parts", "order", "numbers")
EXTRA = ("memory", "instructions", "servers")


def first_line(*command):
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return result.stdout.splitlines()[0] if result.returncode == 0 and result.stdout else "unknown"


def print_machine(build):
    model = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    cache = (build / "CMakeCache.txt").read_text()
    compiler = re.search(r"CMAKE_C_COMPILER:\w+=(.*)", cache)[1]
    changed = " + local changes" if first_line("git", "status", "--porcelain", "-uno") != "unknown" else ""
    print(f"machine   {model[1] if model else platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, "
          f"{platform.system()} {platform.release()}")
    print(f"compiler  {first_line(compiler, '--version')}")
    print(f"commit    {first_line('git', 'rev-parse', '--short', 'HEAD')}{changed}")
    print(f"command   ./dev bench {' '.join(sys.argv[2:])}".rstrip())


def instructions(build, jackets, ticks):
    """Instructions of so many ticks of so many jackets, by callgrind: the same number whenever nothing changed."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
               "--toggle-collect=callgrind_workload", build / "bench/tweed_bench", "--callgrind-workload",
               str(jackets), str(ticks)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    found = re.search(r"Collected : (\d+)", result.stderr)
    return int(found[1]) if found else None


def print_instructions(build):
    print("\ninstructions of a jacket's tick, by callgrind")
    if not shutil.which("valgrind"):
        print("  valgrind is not installed")
        return
    for name, jackets, ticks in (("alone, scalar kernel", 1, 30), ("one of 16, baseline kernel", 16, 6)):
        found = instructions(build, jackets, ticks)
        print(f"  {name:<30} " + (f"{found / (jackets * ticks):>12,.0f}" if found else "not counted"), flush=True)


def main():
    build = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/release"
    wanted = sys.argv[2:] or [*TABLES, *EXTRA]
    unknown = [name for name in wanted if name not in TABLES + EXTRA]
    if unknown:
        sys.exit(f"no table '{unknown[0]}'; there are: {', '.join(TABLES + EXTRA)}")
    print_machine(build)
    sys.stdout.flush()
    tables = [name for name in wanted if name in TABLES]
    if tables:
        subprocess.run([build / "bench/tweed_bench", *tables], check=True)
    if "memory" in wanted:
        subprocess.run([build / "bench/tweed_bench_memory"], check=True)
        crowds.print_allocations(build)
    if "instructions" in wanted:
        print_instructions(build)
    if "servers" in wanted:
        crowds.print_crowds()


if __name__ == "__main__":
    main()
