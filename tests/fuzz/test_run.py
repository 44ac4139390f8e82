"""Whose fault a report tells, and what run.py makes of it."""
import stat

import pytest

import run

PROGRAM = "(/b/tests/fuzz/fuzz_files+0xf6d2e) (BuildId: 93e55c)"
OURS = "scene_read_bones /home/a/tweed/server/asset/importer/bones.c:41:5"
ASSIMP = " (/lib/x86_64-linux-gnu/libassimp.so.5+0x291d91) (BuildId: e4829e)"
CPP = "(/lib/x86_64-linux-gnu/libstdc++.so.6+0xa958b) (BuildId: 289ee3)"
LIBC = " (/lib/x86_64-linux-gnu/libc.so.6+0x3c04f) (BuildId: 93ac61)"
STOP = [f"in __sanitizer_print_stack_trace {PROGRAM}", f"in fuzzer::PrintStackTrace() {PROGRAM}",
        f"in fuzzer::Fuzzer::CrashCallback() {PROGRAM}", LIBC]
ABORT = [*STOP, "in __pthread_kill_implementation nptl/./nptl/pthread_kill.c:43:17", "in abort stdlib/./stdlib/abort.c:79:7"]
BELOW = [f"in fuzzer::Fuzzer::RunOne(unsigned char const*, std::vector<fuzzer::SizedFile>&) {PROGRAM}", f"in main {PROGRAM}",
         "in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16"]
NEW = [f"in malloc {PROGRAM}", f"in operator new(unsigned long) {CPP}"]


def trace(*frames):
    return "".join(f"    #{k} 0x7fe56b{k:06x} {frame}\n" for k, frame in enumerate(frames))


def report(what, *traces):
    return f"INFO: Seed: 1\n==1== ERROR: {what}\n" + "\n  between\n".join(traces) + "SUMMARY: it\n"


IN_ASSIMP = {
    "a crash": report("AddressSanitizer: SEGV on unknown address", trace(ASSIMP, f"in {OURS}", *BELOW)),
    "a copy": report("AddressSanitizer: heap-buffer-overflow", trace(f"in __asan_memcpy {PROGRAM}", ASSIMP, f"in {OURS}")),
    "a copy in libc": report("AddressSanitizer: SEGV", trace("in memmove string/../sysdeps/memmove-vec.S:344", ASSIMP)),
    "endless recursion": report("AddressSanitizer: stack-overflow", trace(*[ASSIMP] * 250)),
    "an exception nobody takes": report(
        "libFuzzer: deadly signal", trace(*ABORT, CPP, f"in std::terminate() {CPP}", ASSIMP, f"in {OURS}", *BELOW)),
    "one whose trace ends early": report("libFuzzer: deadly signal", trace(*ABORT, f"in std::terminate() {CPP}")),
    "an endless loop": report("libFuzzer: timeout after 181 seconds", trace(*STOP, ASSIMP, f"in {OURS}", *BELOW)),
    "a huge allocation": report("AddressSanitizer: allocator is out of memory", trace(*NEW)),
    "memory": report("libFuzzer: out-of-memory (used: 2100Mb; limit: 2048Mb)", trace(*NEW),
                     trace(f"in malloc {PROGRAM}", f"in {OURS}", *BELOW)),
    "an exception's memory": report("AddressSanitizer: allocator is out of memory",
                                    trace(f"in malloc {PROGRAM}", f"in __cxa_allocate_exception {CPP}")),
    "leaks": report("LeakSanitizer: detected memory leaks", trace(*NEW), trace(
        f"in calloc {PROGRAM}", "in inflateInit2_ (/lib/x86_64-linux-gnu/libz.so.1+0xa958b) (BuildId: 289ee3)")),
    "a call to nowhere": report("AddressSanitizer: SEGV on unknown address 0xdeadbeef", trace(" (<unknown module>)")),
    "a broken heap": "AddressSanitizer: CHECK failed: asan_allocator.cpp:190\n" + trace(f"in free {PROGRAM}", f"in {OURS}"),
}
IN_OURS = {
    "a crash": report("AddressSanitizer: SEGV on unknown address", trace(f"in {OURS}", *BELOW)),
    "a read of what assimp released": report("AddressSanitizer: heap-use-after-free", trace(f"in {OURS}", *BELOW),
                                             trace(f"in free {PROGRAM}", ASSIMP, f"in {OURS}")),
    "a check": report("libFuzzer: deadly signal", trace(*ABORT, f"in {OURS}", *BELOW)),
    "undefined behaviour": "scene_bones.c:41:5: runtime error: signed integer overflow\n",
    "an endless loop": report("libFuzzer: timeout after 181 seconds", trace(*STOP, f"in {OURS}", *BELOW)),
    "memory": report("libFuzzer: out-of-memory (used: 2100Mb; limit: 2048Mb)",
                     trace(f"in malloc {PROGRAM}", f"in {OURS}", *BELOW), trace(*NEW)),
    "one leak of two": report("LeakSanitizer: detected memory leaks", trace(*NEW),
                              trace(f"in strdup {PROGRAM}", f"in {OURS}", *BELOW, " (<unknown module>)")),
}


@pytest.mark.parametrize("name", IN_ASSIMP)
def test_assimps(name):
    assert run.is_assimps(IN_ASSIMP[name])


@pytest.mark.parametrize("name", IN_OURS)
def test_ours(name):
    assert not run.is_assimps(IN_OURS[name])


def fuzz(folder, text):
    """run.py's verdict where the program writes this and fails; the inputs it kept as ours, and as assimp's."""
    program = folder / "tests" / "fuzz" / "fuzz_files"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\ncd {folder}/failed/files\ntouch slow-unit-a crash-b\ncat <<'END'\n{text}END\nexit 77\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    said, passed = run.fuzz_in(str(folder), "files", folder, 0)
    kept = [sorted(path.name for path in (folder / name / "files").iterdir()) for name in ("failed", "assimp")]
    return said, passed, *kept


def written(folder, *names):
    return "".join(f"artifact_prefix='x'; Test unit written to {folder}/failed/files/{name}\n" for name in names)


def test_the_input_is_put_aside_and_a_slow_one_is_not_taken_for_it(tmp_path):
    text = written(tmp_path, "slow-unit-a") + IN_ASSIMP["a crash"] + written(tmp_path, "crash-b")
    said, passed, failed, assimps = fuzz(tmp_path, text)
    assert passed and "1 failed in assimp itself" in said
    assert (failed, assimps) == (["slow-unit-a"], ["crash-b"])


def test_a_leak_of_assimps_at_the_very_end_has_no_input(tmp_path):
    said, passed, _, assimps = fuzz(tmp_path, written(tmp_path, "slow-unit-a") + IN_ASSIMP["leaks"])
    assert passed and not assimps and "1 failed in assimp itself" in said


def test_ours_is_told_with_the_command_that_runs_it_again(tmp_path):
    said, passed, failed, assimps = fuzz(
        tmp_path, written(tmp_path, "slow-unit-a") + IN_OURS["a check"] + written(tmp_path, "crash-b"))
    assert not passed and not assimps and "crash-b" in failed
    assert said.endswith(f"again: {tmp_path}/tests/fuzz/fuzz_files {tmp_path}/failed/files/crash-b")
