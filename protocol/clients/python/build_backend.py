"""What pip builds the package with: the standard library alone, so that no network and no setuptools are needed, and
nothing is left in this folder. PEP 517's hooks, and PEP 660's for `pip install --editable`."""
import base64
import hashlib
import re
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = dict(re.findall(r'^([\w-]+) = "(.*)"$', (HERE / "pyproject.toml").read_text(), re.MULTILINE))
RELEASE = f"{PROJECT['name']}-{PROJECT['version']}"
METADATA = (f"Metadata-Version: 2.1\nName: {PROJECT['name']}\nVersion: {PROJECT['version']}\n"
            f"Summary: {PROJECT['description']}\nRequires-Python: {PROJECT['requires-python']}\nLicense: MIT\n")
WHEEL = "Wheel-Version: 1.0\nGenerator: tweed\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package = HERE / "tweed"
    return _write(wheel_directory, {f"tweed/{path.name}": path.read_bytes()
                                    for path in sorted(package.iterdir()) if path.suffix in (".py", ".typed")})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, {"tweed.pth": f"{HERE}\n".encode()})


def _write(folder, files):
    info = f"{RELEASE}.dist-info"
    files = {**files, f"{info}/METADATA": METADATA.encode(), f"{info}/WHEEL": WHEEL.encode()}
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = f"{RELEASE}-py3-none-any.whl"
    with zipfile.ZipFile(Path(folder, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
    return name


def _digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
