"""Debian machines of a test's own: a root made anew, and systemd in namespaces over it.

A machine sees its own processes, mounts and network. Root, mmdebstrap, and a kernel that lets
namespaces be made are needed. Nothing of the host is changed but a control group.
"""

import os
import shutil
import ssl
import subprocess
import time
from pathlib import Path

from specimen.programs import missing, needed

SOURCES = ("/etc/apt/sources.list", "/etc/apt/sources.list.d/debian.sources")
"""Where this machine's own Debian packages come from; a new root gets the same."""
RELEASE = "bookworm"
LONGEST_SECONDS = 1800  # of a block of the manuals, most of which installs packages
UP = ("running", "degraded")
ENVIRONMENT = (
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME=/root",
    "LANG=C.UTF-8",
    "DEBIAN_FRONTEND=noninteractive",
)
OWN = {
    name: value
    for name, value in os.environ.items()
    if (name.startswith("PIP_") and name != "PIP_FIND_LINKS") or name.lower().endswith("_proxy")
} | {"PIP_CERT": "/root/authorities.crt"}
"""What this machine's pip is told, and whom it believes: there may be a proxy before it."""
AUTHORITIES = os.environ.get("PIP_CERT") or ssl.get_default_verify_paths().cafile or ""
BOOT = """
set -eu
mount --make-rprivate /
mount -t cgroup2 cgroup2 /mnt
mkdir -p "/mnt/$2"
echo $$ > "/mnt/$2/cgroup.procs"
umount /mnt
exec unshare --cgroup sh -c "$3" sh "$1"
"""
"""Goes into a control group of its own, which is then the top of those that are seen."""
INIT = """
set -eu
mount --bind "$1" "$1"
cd "$1"
mount -t proc proc proc
mount --bind proc/sys proc/sys && mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup || true
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do
    touch "dev/$device" && mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s fd/0 dev/stdin && ln -s fd/1 dev/stdout && ln -s fd/2 dev/stderr
pivot_root . mnt
umount -l /mnt
exec setpriv --bounding-set -sys_module,-sys_rawio,-sys_time,-sys_boot env -i container=test \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin /sbin/init
"""


def new_root(folder: Path, kept: Path) -> None:
    """Make the root of a new machine; ``kept`` is the file that it comes from."""
    if not kept.exists():
        sources = [file for file in SOURCES if Path(file).is_file()]
        wanted = "--include=ca-certificates,iproute2,systemd-sysv"
        command = [needed("mmdebstrap", "mmdebstrap"), "--quiet", "--variant=apt", wanted]
        made = subprocess.run(
            [*command, RELEASE, f"{kept}.new.tar", *sources],
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
        )
        if made.returncode:
            missing(f"No Debian root can be made here: {made.stderr[-500:]}.")
        Path(f"{kept}.new.tar").replace(kept)
    folder.mkdir(mode=0o755)
    subprocess.run(["tar", "--extract", "--file", kept, "--directory", folder], check=True)
    (folder / "etc" / "dpkg" / "dpkg.cfg.d" / "quick").write_text("force-unsafe-io\n")
    shutil.copy(AUTHORITIES, folder / "root" / "authorities.crt")


def copy_root(folder: Path, copy: Path) -> None:
    """Copy the root of a machine that is off."""
    subprocess.run(["cp", "--archive", "--reflink=auto", folder, copy], check=True)


class DebianMachine:
    """A machine; what has to do with the host's network is run in that, all else in its own."""

    def __init__(self, root: Path, name: str) -> None:
        """Take a root; the machine is off."""
        self.root, self._group = root, f"changewire-test-{name}-{os.getpid()}"
        self._boot: subprocess.Popen[bytes] | None = None
        self._init = 0

    def boot(self) -> None:
        """Start systemd; return once it has started what is enabled."""
        apart = ["--fork", "--kill-child", "--pid", "--mount", "--net", "--ipc", "--uts"]
        command = [needed("unshare", "util-linux"), *apart, "sh", "-c", BOOT, "sh"]
        self._boot = subprocess.Popen(
            [*command, self.root, self._group, INIT],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        children = Path(f"/proc/{self._boot.pid}/task/{self._boot.pid}/children")
        until = time.monotonic() + 60
        while time.monotonic() < until and self._boot.poll() is None:
            self._init = int((children.read_text().split() or ["0"])[0])
            if self._init and self.run("systemctl is-system-running --wait")[1].strip() in UP:
                return
            time.sleep(0.2)
        self.stop()
        missing("systemd does not start in namespaces here.")

    def stop(self) -> None:
        """Switch it off, as by its plug; what it stored stays."""
        if self._boot is not None:
            self._boot.kill()
            self._boot.wait(30)
            self._boot = None
            remove_group(self._group)

    def run(self, script: str, *, online: bool = False, folder: str = "/root") -> tuple[int, str]:
        """Run a script as root; return its status and what it said. ``online``: on our network."""
        own = [f"{name}={value}" for name, value in OWN.items()] if online else []
        program = ["sh", "-e", "-c", f"cd {folder}\n{script}"]
        into = ["--mount", "--pid", "--ipc", "--uts", *([] if online else ["--net"])]
        command = [needed("nsenter", "util-linux"), "--target", str(self._init), *into]
        ended = subprocess.run(
            [*command, "env", "-i", *ENVIRONMENT, *own, *program],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LONGEST_SECONDS,
        )
        return ended.returncode, ended.stdout

    def join(self, other: "DebianMachine", own: str, others: str) -> None:
        """Lay a cable to another machine; each end gets its address."""
        cable = f"ip link add eth0 type veth peer name eth0 netns {other._init}"
        host = [needed("nsenter", "util-linux"), "--target", str(self._init), "--net"]
        subprocess.run([*host, *cable.split()], check=True)
        for machine, address in ((self, own), (other, others)):
            status, told = machine.run(f"ip address add {address}/24 dev eth0; ip link set eth0 up")
            assert status == 0, told


def remove_group(name: str) -> None:
    """Remove a control group, in which nothing runs any more, with those in it."""
    script = """
        mount -t cgroup2 cgroup2 /mnt
        for attempt in $(seq 50); do
            find "/mnt/$1" -depth -type d -exec rmdir {} + && break || sleep 0.2
        done
    """
    subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", name], stderr=subprocess.DEVNULL
    )
