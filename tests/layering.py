#!/usr/bin/env python3
"""Checks what each layer includes, what each folder of a layer includes, that no files depend on each other in a circle,
and the lengths of files and functions.

    app -> script -> asset -> sim        app -> net, protocol        all -> text

A layer sees its own headers, the public headers (include/<layer>/) of the layers it may use, and the external
headers listed here. ROOMS lists for each folder of a layer the folders that it may include. Prints each offence as
file:line: message; exit status 1 if there is one.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

USES = {
    "text": set(),
    "sim": {"text"},
    "asset": {"sim", "text"},
    "protocol": {"text"},
    "net": {"text"},
    "script": {"asset", "sim", "text"},
    "app": {"script", "asset", "sim", "net", "protocol", "text"},
}
FOLDER = {layer: f"server/{layer}" for layer in USES}

# The folders of a layer, each with those that it may include beside itself. A layer that is not listed has no folders.
ROOMS = {
    "sim": {
        "core": set(),
        "kernel/lanes": {"core"},
        "kernel/collide": {"core", "kernel/lanes"},
        "kernel/links": {"core", "kernel/lanes"},
        "kernel": {"core", "kernel/lanes", "kernel/collide", "kernel/links"},
        "drive": {"core", "kernel/lanes"},
        "self_collision": {"core", "kernel/lanes"},
        "topology": {"core"},
        "rig": {"core", "topology"},
        "motion": {"core", "rig"},
        "garment": {"core", "topology", "rig", "motion"},
        "world": {"core", "topology", "rig", "motion", "garment"},
    },
    "asset": {"": set(), "importer": {""}, "process": {"", "importer"}, "skin": {""}, "grid": {""}, "gltf": {""}},
    "net": {"": set(), "http": {""}},
    "protocol": {"jsonrpc": set(), "methods": {"jsonrpc"}, "stream": {"jsonrpc", "methods"}},
    "app": {
        "base": set(),
        "ticks": {"base"},
        "characters": {"base", "ticks"},
        "session": {"base", "ticks", "characters"},
        "stream": {"base", "ticks", "characters", "session"},
        "rpc": {"base", "ticks", "characters", "session", "stream"},
        "reload": {"base", "ticks", "characters", "session", "stream", "rpc"},
        "cluster/broker": {"base"},
        "cluster/node": {"base", "ticks", "characters", "session", "stream", "rpc", "cluster/broker"},
        "cluster": {"base", "ticks", "characters", "session", "stream", "rpc", "cluster/broker", "cluster/node"},
        "server": {"base", "ticks", "characters", "session", "stream", "rpc", "reload", "cluster/node", "cluster"},
        "tools": {"base", "ticks", "session", "stream"},
        "cli": {"base", "server", "tools"},
    },
    "script": {
        "data": set(),
        "host": {"data"},
        "sandbox": {"data", "host"},
        "schema": {"data", "sandbox"},
        "shape": {"data"},
        "define": {"data", "host", "sandbox", "schema", "shape"},
        "rig": {"data", "host", "schema", "shape", "define"},
        "runtime": {"data", "host", "sandbox"},
        "api": {"data", "host", "sandbox", "schema", "define", "runtime"},
        "load": {"data", "host", "sandbox", "schema", "define", "rig", "runtime", "api"},
    },
}

STANDARD = {f"{name}.h" for name in """assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp
    signal stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar
    wchar wctype""".split()}
POSIX = {f"{name}.h" for name in """dirent dlfcn fcntl fnmatch glob grp libgen netdb poll pthread pwd sched semaphore
    strings syslog termios ucontext unistd utime wordexp arpa/inet net/if netinet/in netinet/tcp sys/epoll sys/eventfd
    sys/file sys/ioctl sys/mman sys/random sys/resource sys/select sys/socket sys/stat sys/syscall sys/time
    sys/timerfd sys/types sys/uio sys/un sys/utsname sys/wait""".split()}
CLOCKS_AND_THREADS = {"time.h", "signal.h", "threads.h", "locale.h"}
CGLM, UV, LUA, CJSON, ASSIMP = "cglm/", "uv.h", ("lua.h", "lauxlib.h", "lualib.h"), "cjson/", "assimp/"
# To take rights from the process that reads files.
SANDBOX = {"spawn.h", "sys/prctl.h", "linux/audit.h", "linux/filter.h", "linux/landlock.h", "linux/seccomp.h"}
HTTP = {"http_parser.h", "nettle/", "wslay/"}

# What a layer may include beside its own: exact names, or prefixes that end in a slash.
EXTERNAL = {
    "text": (STANDARD - CLOCKS_AND_THREADS) | {"immintrin.h"},
    "sim": (STANDARD - CLOCKS_AND_THREADS) | {CGLM, "immintrin.h", "xmmintrin.h"},
    "asset": STANDARD | POSIX | {CGLM, ASSIMP, CJSON} | SANDBOX,
    "protocol": (STANDARD - CLOCKS_AND_THREADS) | {CJSON},
    "net": STANDARD | POSIX | {UV} | HTTP,
    "script": STANDARD | POSIX | {CGLM, "link.h", *LUA},
    "app": STANDARD | POSIX | {CGLM, UV, CJSON, "nats/nats.h"},
}

# Layers in which no file may depend on itself through other files.
WITHOUT_CIRCLES = ("text", "sim", "asset", "protocol", "net", "script", "app")

FILE_LINES = 600
FUNCTION_LINES = 60
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def tracked(*patterns):
    """Files that git knows, or would by `git add`, relative to the root."""
    listing = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns],
                             cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted(Path(name) for name in listing.split("\0") if name and (ROOT / name).is_file())


def layer_of(path):
    return next((layer for layer, folder in FOLDER.items() if path.is_relative_to(folder)), None)


def is_public(path, layer):
    return path.is_relative_to(f"{FOLDER[layer]}/include")


def include_offence(path, layer, header):
    """Why `layer` may not include `header` in the file `path`; None if it may."""
    owner = next((other for other in USES if (ROOT / FOLDER[other] / "include" / header).is_file()), None)
    if owner in USES[layer] | {layer}:
        return None
    if owner:
        return f"{layer} must not include {owner}'s {header}"
    if header in EXTERNAL[layer] or any(name.endswith("/") and header.startswith(name) for name in EXTERNAL[layer]):
        return None
    if (ROOT / FOLDER[layer] / header).is_file():
        if is_public(path, layer):
            return f"a public header must not include the private {header}"
        return room_offence(layer, room_of(path, layer), room_of(Path(FOLDER[layer]) / header, layer))
    return f"{layer} must not include {header}"


def room_of(path, layer):
    """The folder of a file inside its layer, "" for the layer's own; public headers belong to no room."""
    return str(path.parent.relative_to(FOLDER[layer])).removeprefix(".")


def room_offence(layer, room, other):
    """Why a file of `room` may not include one of the room `other`; None if it may."""
    rooms = ROOMS.get(layer, {})
    if room == other or layer not in ROOMS or other in rooms.get(room, ()):
        return None
    return f"{layer}/{room} must not include {layer}/{other}"


def include_offences():
    for path in tracked("server/*.c", "server/*.h"):
        layer = layer_of(path)
        if not layer:
            yield path, 1, "is in no layer"
            continue
        if layer in ROOMS and not is_public(path, layer) and room_of(path, layer) not in ROOMS[layer]:
            yield path, 1, "is in a folder that ROOMS does not list"
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            offence = match and include_offence(path, layer, match[2])
            if offence:
                yield path, number, offence


COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|^ *#include[^\n]*", re.S | re.M)  # and includes
FUNCTION = re.compile(r"^(?!static\b)[A-Za-z_][\w *]*?\b(\w+)\([^;{}]*\)\s*\{$", re.M)
TABLE = re.compile(r"^const [\w *]*?\b(\w+)(?:\[\w*\])* =", re.M)


def needs(layer):
    """The files of a layer, each with the files that define the names that it uses."""
    texts = {path: COMMENT.sub("", (ROOT / path).read_text()) for path in tracked(f"{FOLDER[layer]}/*.c")}
    owner = {name: path for path, text in texts.items() for name in FUNCTION.findall(text) + TABLE.findall(text)}
    return {path: {owner[name] for name in re.findall(r"\w+", text) if name in owner} - {path}
            for path, text in texts.items()}


def circle_offences():
    for layer in WITHOUT_CIRCLES:
        graph = needs(layer)
        while leaves := [path for path in graph if not graph[path] & graph.keys()]:
            graph = {path: graph[path] for path in graph if path not in leaves}
        # The files that are left are in a circle, or depend on a file in one.
        while tops := [path for path in graph if not any(path in graph[other] for other in graph)]:
            graph = {path: graph[path] for path in graph if path not in tops}
        for path in graph:
            others = ", ".join(sorted(other.name for other in graph[path] & graph.keys()))
            yield path, 1, f"depends on itself through {others}"


def long_functions(path, lines):
    """Functions as clang-format lays them out: from an unindented line to a line that is `}`."""
    start = None
    for number, line in enumerate(lines, 1):
        if re.match(r"[A-Za-z_][^=]*[({,]$", line) and not line.startswith(("typedef", "struct", "enum", "union")):
            start = start or number
        if line.startswith("}") and start:
            if line == "}" and number - start + 1 > FUNCTION_LINES:
                yield path, start, f"a function of {number - start + 1} lines; {FUNCTION_LINES} at most"
            start = None
        elif re.match(r"\S.*;$", line):
            start = None


def length_offences():
    for path in tracked("*.c", "*.h", "*.lua", "*.py", "*.ts", "dev"):
        lines = (ROOT / path).read_text().splitlines()
        if path.suffix in (".c", ".h"):
            yield from long_functions(path, lines)
        if len(lines) > FILE_LINES and path.parts[0] != "tests" and "types" not in path.parts:
            yield path, FILE_LINES + 1, f"{len(lines)} lines; {FILE_LINES} at most: split it"


STATIC_BODY = re.compile(r"^static\b[^;={}]*\([^;{}]*\)\s*\{$", re.M)
DIALECT = {
    re.compile(r"\b(?:if|while) \([^()]*[!=]= NULL\b"): "compare pointers by `if (pointer)` and `if (!pointer)`",
    re.compile(r"(?:^\s*|; )(?:\+\+|--)[a-z][\w.>-]*[;)]"): "count by `i++` and `i--`",
}


LANES = ("kernel", "drive", "self_collision")  # rooms of inline code that is compiled once per width


def dialect_offences():
    """One reading order and one way to write what can be written in several. Kernels are inline code, bottom-up."""
    for path in tracked("server/*.c", "server/*.h"):
        text = (ROOT / path).read_text()
        code = re.sub(r"//[^\n]*", "", text)
        for number, line in enumerate(code.splitlines(), 1):
            yield from ((path, number, rule) for pattern, rule in DIALECT.items() if pattern.search(line))
        if path.suffix == ".c" and not any(path.is_relative_to(f"server/sim/{room}") for room in LANES):
            for variant in code.split("\n#else\n"):
                yield from ((path, 1, f"{name} is public and stands below a static helper: public functions come first")
                            for name in public_below_helpers(variant))


def public_below_helpers(code):
    helper = STATIC_BODY.search(code)
    return [match[1] for match in FUNCTION.finditer(code) if helper and match.start() > helper.start()]


def main():
    offences = [*include_offences(), *circle_offences(), *length_offences(), *dialect_offences()]
    for path, number, message in offences:
        print(f"{path}:{number}: {message}")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
