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

import clusters  # noqa: E402
import crowds  # noqa: E402
import meshes  # noqa: E402
import poses  # noqa: E402
import subscribers  # noqa: E402

TABLES = ("links", "ticks", "parts", "order", "self", "springs", "numbers", "scripts")
EXTRA = ("memory", "instructions", "servers", "subscribers", "poses", "meshes")
ASKED = ("cluster",)  # takes minutes: printed by its name only

# Instructions of a jacket's tick: the kernel, how many jackets and ticks, and what was counted with the compiler below.
# Whoever changes them on purpose writes the new ones here, and says so.
INSTRUCTIONS = (("alone, scalar kernel", "scalar", 1, 30, 2_491_182), ("alone, AVX2 kernel", "alone_avx2", 1, 30, 922_428),
                ("one of 16, baseline kernel", "baseline", 16, 6, 765_544))
COUNTED_WITH = "12.2.0"  # GCC for x86-64
TOLERANCE = 0.03


def first_line(*command):
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return result.stdout.splitlines()[0] if result.returncode == 0 and result.stdout else "unknown"


def print_machine(build):
    model = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    changed = " + local changes" if first_line("git", "status", "--porcelain", "-uno") != "unknown" else ""
    print(f"machine   {model[1] if model else platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, "
          f"{platform.system()} {platform.release()}")
    print(f"compiler  {first_line(compiler_of(build), '--version')}")
    print(f"commit    {first_line('git', 'rev-parse', '--short', 'HEAD')}{changed}")
    print(f"command   ./dev bench {' '.join(sys.argv[2:])}".rstrip())


def instructions(build, kernel, jackets, ticks):
    """Instructions of so many ticks of so many jackets, by callgrind: the same number whenever nothing changed."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
               "--toggle-collect=callgrind_workload", build / "bench/tweed_bench", "--callgrind-workload",
               kernel, str(jackets), str(ticks)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    found = re.search(r"Collected : (\d+)", result.stderr)
    return int(found[1]) if found else None


def compiler_of(build):
    return re.search(r"CMAKE_C_COMPILER:\w+=(.*)", (build / "CMakeCache.txt").read_text())[1]


def print_instructions(build):
    """False where there are more than there were; another compiler's are printed and not judged."""
    print("\ninstructions of a jacket's tick, by callgrind")
    if not shutil.which("valgrind"):
        print("  valgrind is not installed")
        return True
    comparable = platform.machine() == "x86_64" and COUNTED_WITH in first_line(compiler_of(build), "--version")
    fine = True
    for name, kernel, jackets, ticks, reference in INSTRUCTIONS:
        found = instructions(build, kernel, jackets, ticks)
        if not found:
            print(f"  {name:<30} not counted")
            continue
        ratio = found / (jackets * ticks) / reference
        met = ratio <= 1 + TOLERANCE
        fine = fine and (met or not comparable)
        verdict = ("met" if met else "missed") if comparable else f"not judged: counted with GCC {COUNTED_WITH} for x86-64"
        print(f"  {name:<30} {found / (jackets * ticks):>12,.0f}\n"
              f"  target  {name}, times the {reference:,} on record: <= {1 + TOLERANCE}, measured {ratio:.3f} ({verdict})",
              flush=True)
    return fine


def main():
    build = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/release"
    wanted = sys.argv[2:] or [*TABLES, *EXTRA]
    unknown = [name for name in wanted if name not in TABLES + EXTRA + ASKED]
    if unknown:
        sys.exit(f"no table '{unknown[0]}'; there are: {', '.join(TABLES + EXTRA + ASKED)}")
    print_machine(build)
    sys.stdout.flush()
    tables = [name for name in wanted if name in TABLES]
    if tables:
        subprocess.run([build / "bench/tweed_bench", *tables], check=True)
    if "memory" in wanted:
        subprocess.run([build / "bench/tweed_bench_memory"], check=True)
        crowds.print_allocations(build)
    fine = print_instructions(build) if "instructions" in wanted else True
    if "servers" in wanted:
        crowds.print_crowds()
        crowds.print_sleepers()
    if "subscribers" in wanted:
        subscribers.print_subscribers()
    if "poses" in wanted:
        poses.print_poses()
    if "meshes" in wanted:
        meshes.print_meshes()
    if "cluster" in wanted:
        clusters.print_clusters()
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
