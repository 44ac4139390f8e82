"""The Debian package in a bare Debian 12 that runs systemd, in namespaces of its own: no file or service of this
machine takes part. Needs root, debootstrap and, the first time, Debian's mirror; what debootstrap made is kept.

TWEED_PACKAGE names the package; ./dev soak package builds it."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = Path(os.environ.get("TWEED_PACKAGE", ""))
MIRROR = os.environ.get("TWEED_MIRROR", "http://deb.debian.org/debian")
BASE = ROOT / "build/package"

pytestmark = [
    pytest.mark.skipif(not PACKAGE.is_file(), reason="TWEED_PACKAGE names no package: ./dev soak package"),
    pytest.mark.skipif(os.geteuid() != 0, reason="a bare Debian takes root"),
    pytest.mark.skipif(not shutil.which("debootstrap"), reason="no debootstrap here"),
]

# Reads what a server sends until it closes the connection.
LISTENER = """
import socket, sys
with socket.create_connection(("127.0.0.1", 7601), timeout=60) as connection:
    for line in connection.makefile():
        print(line, end="", flush=True)
"""


def base(depends):
    """A root with systemd and what the package depends on."""
    folder = BASE / "root"
    known = BASE / "depends"
    if known.exists() and known.read_text() == depends:
        return folder
    shutil.rmtree(BASE, ignore_errors=True)
    BASE.mkdir(parents=True)
    names = re.findall(r"(?:^|, )([a-z0-9.+-]+)", depends)
    try:
        subprocess.run(["debootstrap", "--variant=minbase", "--include=systemd,systemd-sysv", "bookworm", folder, MIRROR],
                       check=True, capture_output=True, text=True, timeout=600)
        subprocess.run(["chroot", folder, "apt-get", "install", "-qq", "-y", "--no-install-recommends", *names],
                       check=True, capture_output=True, text=True, timeout=600,
                       env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"})
    except subprocess.CalledProcessError as failure:
        pytest.skip(f"no bare Debian: {failure.stdout[-300:]} {failure.stderr[-300:]}")
    known.write_text(depends)
    return folder


class Machine:
    """A running copy of the base."""

    def __init__(self, folder):
        self.folder = folder
        mounts = f"""set -e
mount --make-rprivate /
mount --bind {folder} {folder}
cd {folder}
mount -t proc proc proc
mount -t sysfs sysfs sys
for part in run tmp; do mount -t tmpfs tmpfs $part; done
mount -t cgroup2 cgroup2 sys/fs/cgroup
pivot_root . mnt # and no chroot, in which services could have no users of their own
cd /
umount --lazy mnt
exec /usr/bin/env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=null
"""
        self.outside = subprocess.Popen(
            ["unshare", "--fork", "--pid", "--mount", "--uts", "--ipc", "--cgroup", "--net", "--kill-child", "sh", "-c", mounts],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        children = Path(f"/proc/{self.outside.pid}/task/{self.outside.pid}/children")
        while True:
            time.sleep(0.2)
            if self.outside.poll() is not None or time.monotonic() > deadline:
                self.end()
                pytest.skip("systemd does not run in namespaces here")
            self.init = children.read_text().strip()
            if self.init and self.run("systemctl is-system-running", check=False).strip() in ("running", "degraded"):
                break
        self.run("ip link set lo up 2>/dev/null || true")

    def enter(self, *command):
        return ["nsenter", "--target", self.init, "--pid", "--mount", "--uts", "--ipc", "--net",
                f"--root=/proc/{self.init}/root", "--wd=/", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C", *command]

    def run(self, script, check=True):
        result = subprocess.run(self.enter("sh", "-c", script), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        assert not check or result.returncode == 0, f"{script}: {result.stdout}{result.stderr}"
        return result.stdout

    def listen(self):
        """A client of the service, outside in all but the network, once it is greeted."""
        client = subprocess.Popen(["nsenter", "--target", self.init, "--net", sys.executable, "-c", LISTENER],
                                  stdout=subprocess.PIPE, text=True)
        assert "server.hello" in client.stdout.readline()
        return client

    def state(self):
        return self.run("systemctl is-active tweed", check=False).strip()

    def journal(self):
        return self.run("journalctl -o cat -u tweed --no-pager")

    def end(self):
        self.outside.send_signal(signal.SIGKILL)
        self.outside.wait()


@pytest.fixture
def machine(tmp_path):
    depends = subprocess.run(["dpkg-deb", "-f", PACKAGE, "Depends"], check=True, capture_output=True, text=True).stdout.strip()
    folder = tmp_path / "root"
    subprocess.run(["cp", "-a", "--reflink=auto", base(depends), folder], check=True)
    shutil.copy(PACKAGE, folder / "root/tweed.deb")
    newer = tmp_path / "newer"
    subprocess.run(["dpkg-deb", "-R", PACKAGE, newer], check=True)
    control = newer / "DEBIAN/control"
    control.write_text(re.sub("^Version: .*$", "Version: 99", control.read_text(), flags=re.MULTILINE))
    subprocess.run(["dpkg-deb", "-b", newer, folder / "root/newer.deb"], check=True, capture_output=True)
    machine = Machine(folder)
    yield machine
    machine.end()
    shutil.rmtree(folder, ignore_errors=True)


def test_install_reload_upgrade_and_purge(machine):
    before = machine.run("find / -xdev -path /proc -prune -o -iname '*tweed*' -print")
    machine.run("dpkg -i /root/tweed.deb")
    assert machine.state() == "active", machine.journal()
    assert machine.run("systemctl is-enabled tweed").strip() == "enabled"
    assert "characters/wake" in machine.run("tweed call server.describe")
    assert re.search(r"tick \d+", machine.run("sleep 6; systemctl show -P StatusText tweed"))
    user = machine.run("ps -o user= -p $(systemctl show -P MainPID tweed) 2>/dev/null || stat -c %u /proc/$(systemctl show -P MainPID tweed)")
    assert user.strip() not in ("root", "0")

    # Tokens of root's, through a copy of the service's own; a new one by a reload.
    machine.run("""umask 077; mkdir -p /etc/tweed; echo 'operator first-token-of-this-test' > /etc/tweed/tokens
echo TWEED_TOKEN_FILE=/run/tweed/tokens >> /etc/default/tweed; systemctl restart tweed""")
    call = "TWEED_TOKEN=%s-token-of-this-test tweed call session.ping"
    assert "tick" in machine.run(call % "first")
    machine.run("echo 'operator second-token-of-this-test' >> /etc/tweed/tokens; systemctl reload tweed; sleep 3")
    assert "tick" in machine.run(call % "second"), machine.journal()
    machine.run("sed -i /TOKEN_FILE=.run/d /etc/default/tweed; rm -r /etc/tweed; systemctl restart tweed")

    # An upgrade tells the clients; what the administrator wrote stays.
    machine.run("echo TWEED_RATE=30 >> /etc/default/tweed; systemctl restart tweed")
    client = machine.listen()
    machine.run("dpkg -i /root/newer.deb")
    told = client.communicate(timeout=30)[0]
    assert '"message":"the server is shutting down"' in told and client.returncode == 0, "told, and then closed in order"
    assert machine.state() == "active"
    assert '"tick_rate":30' in machine.run("tweed call server.describe")

    # What is killed is started again.
    before_kill = machine.run("systemctl show -P MainPID tweed")
    machine.run("systemctl kill -s KILL tweed")
    deadline = time.monotonic() + 60
    while machine.state() != "active" or machine.run("systemctl show -P MainPID tweed") == before_kill:
        assert time.monotonic() < deadline, machine.journal()
        time.sleep(0.5)

    machine.run("dpkg -r tweed")
    assert machine.state() != "active"
    assert "TWEED_RATE" in machine.run("cat /etc/default/tweed"), "removed, not purged"
    machine.run("dpkg -P tweed; rm /root/tweed.deb; systemctl daemon-reload")
    left = machine.run("find / -xdev -path /proc -prune -o -iname '*tweed*' -print")
    assert left == before.replace("/root/tweed.deb\n", ""), "nothing is left"
    assert "tweed" not in machine.run("dpkg-query -W 2>/dev/null; systemctl list-units --all --no-legend; ls /etc/systemd/system -R")
