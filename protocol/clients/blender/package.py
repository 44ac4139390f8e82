#!/usr/bin/env python3
"""Builds the zip that Blender installs: the add-on in one folder, with the project's Python client in it.

    python3 protocol/clients/blender/package.py [FOLDER]    # prints the path of the zip

The same files give the same bytes.
"""
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ADDON = HERE / "tweed_live_link"
CLIENT = HERE.parent / "python/tweed"
ROOT = HERE.parent.parent.parent
BEGINNING = (1980, 1, 1, 0, 0, 0)  # of time, for zip files


def files():
    """What the zip holds: {path in it: file}."""
    found = {f"tweed_live_link/{path.name}": path for path in ADDON.iterdir() if path.suffix in (".py", ".toml")}
    found |= {f"tweed_live_link/tweed/{path.name}": path for path in CLIENT.iterdir()
              if path.suffix in (".py", ".typed")}
    return found | {"tweed_live_link/LICENSE": ROOT / "LICENSE"}


def build(folder):
    """Writes the zip into a folder and returns its path."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tweed_live_link.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, file in sorted(files().items()):
            entry = zipfile.ZipInfo(name, BEGINNING)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            package.writestr(entry, file.read_bytes())
    return path


if __name__ == "__main__":
    print(build(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/blender").resolve())
