#!/usr/bin/env python3
"""Runs the fuzz targets: tests/fuzz/run.py BUILD [TARGET...] [SECONDS]

BUILD holds the programs fuzz_<target>, and gets the corpus, which grows from run to run, and the inputs that fail.
Every run begins with the seeds, the regressions and the corpus; then comes what is new, for SECONDS (60) a target.
Exit status 1 if an input failed.
"""
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import seeds

HERE = Path(__file__).resolve().parent
TARGETS = {"framing": 600, "http": 1500, "requests": 2000, "token_files": 1500, "definitions": 6000, "files": 6000,
           "frames": 1000}  # bytes at most
AT_ONCE = max(1, min(2, os.cpu_count() or 1))
DICTIONARY_WORDS = 800
UNIT_SECONDS = 180  # the longest clips that are imported take 25 s, and another program may run beside
# What in a trace is assimp's: nothing of tweed's is C++, inflates anything or calls to nowhere.
ASSIMPS = re.compile(r"/lib(assimp|stdc\+\+|z|minizip|draco)\.|\bin operator (new|delete)\b|#0 \S+ +\(<unknown module>\)")


def write_dictionary(path, inputs):
    """The words of the inputs, the most frequent first, as libFuzzer reads them."""
    counts = {}
    for data in inputs:
        for word in set(re.findall(rb"[A-Za-z_][A-Za-z0-9_.]{2,40}", data)):
            counts[word] = counts.get(word, 0) + 1
    words = sorted(counts, key=lambda word: (-counts[word], word))[:DICTIONARY_WORDS]
    path.write_text("".join(f'"{word.decode()}"\n' for word in words))


def prepare(target, work):
    """Makes the folders, the seeds and the dictionary."""
    folders = {name: work / name / target for name in ("seeds", "corpus", "failed", "assimp")}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    inputs = list(getattr(seeds, target)())
    for old in folders["seeds"].iterdir():
        old.unlink()
    for number, data in enumerate(inputs):
        (folders["seeds"] / f"{number:03}").write_bytes(data)
    write_dictionary(work / f"{target}.dict", inputs)
    return folders


def is_assimps(report):
    """Whether the fault lies in the import library: then that is in the trace, for it calls nothing of ours. The first
    trace counts, where it happened or who holds most memory; of leaks, all."""
    if "AddressSanitizer: CHECK failed" in report:  # in the heap's own data, which only code without ASan can break
        return True
    traces = re.findall(r"(?:^ +#\d+ 0x.*\n?)+", report, re.MULTILINE)
    judged = traces if "ERROR: LeakSanitizer" in report else traces[:1]
    return bool(judged) and all(ASSIMPS.search(trace) for trace in judged)


def summary(report):
    lines = report.splitlines()
    told = [line for line in lines if re.search(r"ERROR: |runtime error|fuzz_\w+\.c:\d+: |SUMMARY: ", line)]
    frames = [line for line in lines if re.match(r"\s+#\d+ ", line)][:12]
    return "\n".join("    " + line.strip() for line in told[:3] + frames)


def fuzz(target, work, seconds):
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="tweed-fuzz-", dir=memory) as folder:
        return fuzz_in(folder, target, work, seconds)


def fuzz_in(folder, target, work, seconds):
    """Runs one target; the text to print, and whether it passed."""
    program = work / "tests" / "fuzz" / f"fuzz_{target}"
    if target in ("files", "http") and not program.exists():
        return f"{target}: not built (without its libraries)", True
    folders = prepare(target, work)
    regressions = HERE / "regressions" / target
    read = [folder for folder in (folders["seeds"], regressions) if folder.is_dir()]
    deadline, inputs, in_assimp = time.monotonic() + seconds, 0, 0
    while True:
        left = max(1, round(deadline - time.monotonic()))
        run = subprocess.run(
            [program, f"-max_total_time={left}", f"-max_len={TARGETS[target]}", f"-timeout={UNIT_SECONDS}",
             "-rss_limit_mb=2048", f"-dict={work / target}.dict",
             f"-artifact_prefix={folders['failed']}/", "-print_final_stats=1", folders["corpus"], *read],
            env={**os.environ, "TMPDIR": folder}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        report = run.stdout.decode(errors="replace")
        count = re.search(r"stat::number_of_executed_units: (\d+)", report)
        inputs += int(count[1]) if count else 0
        if run.returncode == 0:
            break
        failed = re.search(r"Test unit written to (\S+/(?!slow-unit-)[^\s/]+)$", report, re.MULTILINE)  # a slow one goes on
        if target == "files" and is_assimps(report):
            if failed:  # not where a leak was seen at the very end
                path = Path(failed[1])
                path.replace(folders["assimp"] / path.name)
            in_assimp += 1
            if time.monotonic() < deadline:
                continue
            break
        again = f"\n    again: {program} {failed[1]}" if failed else "\n" + report[-3000:]
        return f"{target}: FAILED after {inputs} inputs\n{summary(report)}{again}", False
    aside = f"; {in_assimp} failed in assimp itself, kept in {folders['assimp']}" if in_assimp else ""
    return f"{target}: {inputs} inputs in {seconds} s{aside}", True


def main():
    work, *arguments = sys.argv[1:]
    seconds = 60
    if arguments and arguments[-1].isdigit():
        seconds = int(arguments.pop())
    for name in arguments:
        if name not in TARGETS:
            sys.exit(f"no target '{name}': {', '.join(TARGETS)}")
    passed = True
    with ThreadPoolExecutor(AT_ONCE) as pool:
        runs = [pool.submit(fuzz, target, Path(work).resolve(), seconds) for target in arguments or TARGETS]
        for run in runs:
            text, fine = run.result()
            print(text, flush=True)
            passed &= fine
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
