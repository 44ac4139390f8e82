#!/usr/bin/env python3
"""Replays transcripts against a running server: replay.py [--split] [--folder FOLDER] HOST:PORT FILE...

README.md beside this file describes the format of transcripts. Needs only Python 3.9. A test may import `replay`
instead; it raises Mismatch at the first line that differs.
"""
import argparse
import json
import os
import socket
import sys
from pathlib import Path

WILDCARDS = {
    "$any": lambda value: True,
    "$string": lambda value: isinstance(value, str),
    "$boolean": lambda value: isinstance(value, bool),
    "$array": lambda value: isinstance(value, list),
    "$object": lambda value: isinstance(value, dict),
    "$number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "$integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
}


class Mismatch(AssertionError):
    """A received line differs from the transcript."""


def difference(pattern, value, names, path="$"):
    """Where and how `value` differs from `pattern`, or None. Adds the value of each "$=NAME" to `names`."""
    if isinstance(pattern, str) and pattern.startswith("$="):
        pattern = names.setdefault(pattern, value)
    elif isinstance(pattern, str) and pattern in WILDCARDS:
        return None if WILDCARDS[pattern](value) else f"{path}: {value!r} is no {pattern[1:]}"
    if isinstance(pattern, dict) and isinstance(value, dict):
        return object_difference(pattern, value, names, path)
    if isinstance(pattern, list) and isinstance(value, list):
        return array_difference(pattern, value, names, path)
    same = pattern == value and isinstance(pattern, bool) == isinstance(value, bool)
    return None if same else f"{path}: {value!r} instead of {pattern!r}"


def object_difference(pattern, value, names, path):
    is_open = "..." in pattern
    for key in pattern.keys() - {"..."}:
        if key not in value:
            return f"{path}.{key} is missing"
        found = difference(pattern[key], value[key], names, f"{path}.{key}")
        if found:
            return found
    further = sorted(value.keys() - pattern.keys())
    return f"{path}.{further[0]} is one too many" if further and not is_open else None


def array_difference(pattern, value, names, path):
    if pattern[:1] == ["..."]:
        return tail_difference(pattern[1:], value, names, path)
    is_open = pattern[-1:] == ["..."]
    expected = pattern[:-1] if is_open else pattern
    if len(value) < len(expected) or (len(value) > len(expected) and not is_open):
        return f"{path}: {len(value)} elements instead of {len(expected)}"
    for index, (inner_pattern, inner) in enumerate(zip(expected, value)):
        found = difference(inner_pattern, inner, names, f"{path}[{index}]")
        if found:
            return found
    return None


def tail_difference(pattern, value, names, path):
    """The pattern may begin at any element."""
    for start in range(len(value) + 1):
        tried = dict(names)
        if array_difference(pattern, value[start:], tried, path) is None:
            names.update(tried)
            return None
    return f"{path}: nowhere in it stands {json.dumps(pattern)}"


def fill_in(message, names):
    """The message with the values that "$=NAME" stands for."""
    if isinstance(message, dict):
        return {key: fill_in(value, names) for key, value in message.items()}
    if isinstance(message, list):
        return [fill_in(value, names) for value in message]
    return names[message] if isinstance(message, str) and message.startswith("$=") else message


def take_match(patterns, value, names):
    """Removes the pattern that fits from the list; Mismatch with what kept the first one from fitting."""
    complaints = []
    for index, pattern in enumerate(patterns):
        tried = dict(names)
        complaint = difference(pattern, value, tried)
        if complaint is None:
            names.update(tried)
            del patterns[index]
            return
        complaints.append(complaint)
    raise Mismatch(f"{complaints[0]}\n  received {json.dumps(value)[:2000]}")


def read_message(lines):
    line = lines.readline()
    if not line.endswith(b"\n"):
        raise Mismatch("the connection ended")
    return json.loads(line)


def send(connection, message, names, split):
    text = message if isinstance(message, str) else json.dumps(fill_in(message, names), separators=(",", ":"))
    line = text.encode() + b"\n"
    for start in range(0, len(line), 1 if split else len(line)):
        connection.sendall(line[start : start + 1] if split else line)


def save(file, folder):
    """Saves a file as many editors do: whole, under its name at once."""
    if folder is None:
        raise Mismatch("it saves files; --folder tells where the server's scene lies")
    path = Path(folder, file["file"])
    temporary = path.with_suffix(".new")
    temporary.write_text(file["text"], encoding="utf-8")
    os.replace(temporary, path)


def replay(address, path, split=False, timeout=10.0, folder=None):
    """Plays one file over a connection of its own. `split`: every byte is sent on its own. `folder`: a copy of this
    one, from which the server serves the file's scene."""
    names = {}
    with socket.create_connection(address, timeout) as connection, open(path, encoding="utf-8") as file:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        lines = connection.makefile("rb")
        for number, text in enumerate(file, 1):
            step = json.loads(text)
            try:
                if "save" in step:
                    save(step["save"], folder)
                if "send" in step:
                    send(connection, step["send"], names, split)
                patterns = [step["receive"]] if "receive" in step else list(step.get("receive_in_any_order", []))
                while patterns:
                    take_match(patterns, read_message(lines), names)
                if step.get("end") and lines.readline():
                    raise Mismatch("the connection goes on")
            except (Mismatch, OSError) as failure:
                raise Mismatch(f"{path}:{number}: {failure}") from failure


def main():
    parser = argparse.ArgumentParser(description="Replays transcripts against a running server.")
    parser.add_argument("address", metavar="HOST:PORT")
    parser.add_argument("files", metavar="FILE", nargs="+")
    parser.add_argument("--split", action="store_true", help="send every byte on its own")
    parser.add_argument("--folder", help="where the server's scene lies, for files that save some of it anew")
    options = parser.parse_args()
    host, _, port = options.address.rpartition(":")
    for path in options.files:
        try:
            replay((host, int(port)), path, options.split, folder=options.folder)
        except Mismatch as mismatch:
            sys.exit(str(mismatch))
        print(f"{path}: as written")


if __name__ == "__main__":
    main()
