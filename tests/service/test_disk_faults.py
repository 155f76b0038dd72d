"""The disk fails under the service: nothing is half stored, and it says what happened.

strace makes writes and flushes of the database's files fail, once or from some call on.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest
from shared_workers import Vendor, all_due, entry_faults, fill, stored_titles
from specimen.programs import needed
from specimen.serving import free_port

from storage.engine.database import open_database, upgrade

pytestmark = pytest.mark.slow

FAULTS = [
    "pwrite64:error=EIO:when=1+",
    "pwrite64:error=ENOSPC:when=3",
    "pwrite64:error=ENOSPC:when=40+",
    "fsync,fdatasync:error=ENOSPC:when=2",
]
ERROR_LINE = re.compile(r"changewire: The (database|disk that holds the database) [^\n]+\n")
REFUSED = b"the database cannot be used"  # what the worker logs
PATIENCE = 150.0  # seconds for the service to notice, and to recover
SOURCES = 40


class Trial:
    """A database of its own, with sources that publish an entry at every request."""

    def __init__(self, folder: Path, vendor: Vendor) -> None:
        self.folder, self.file = folder, folder / "faults.db"
        self.database = open_database(f"sqlite:///{self.file}")
        upgrade(self.database)
        fill(self.database, SOURCES, vendor.port)
        self.environment = os.environ | {
            "CHANGEWIRE_DATABASE_URL": f"sqlite:///{self.file}",
            "CHANGEWIRE_FETCH_ALLOW": "127.0.0.0/8",
            "CHANGEWIRE_OUTBOX": str(folder / "outbox"),
            "PYTHONUNBUFFERED": "1",
        }

    def command(self, fault: str | None, *arguments: str) -> list[str]:
        """Return the command line of the service, under strace that injects a fault."""
        command = [sys.executable, "-m", "service.cli", *arguments]
        if fault is None:
            return command
        calls, _, how = fault.partition(":")
        paths = (f"{self.file}{suffix}" for suffix in ("", "-wal", "-journal"))
        return [
            *(needed("strace", "strace"), "-f", "-qq", "--seccomp-bpf"),
            *("-o", str(self.folder / "trace")),
            *(part for path in paths for part in ("-P", path)),
            *("-e", f"trace={calls}", "-e", f"inject={calls}:{how}", *command),
        ]

    def ingest(self, fault: str | None = None) -> subprocess.CompletedProcess[str]:
        """Check every source once."""
        all_due(self.database)
        command = self.command(fault, "ingest", "--all")
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=PATIENCE
        )

    def struck(self) -> int:
        """Return how often the fault was injected."""
        return (self.folder / "trace").read_text(errors="replace").count("(INJECTED)")

    def entries(self) -> int:
        """Return how many entries are stored."""
        return sum(map(len, stored_titles(self.database).values()))


@pytest.fixture(scope="module")
def trial(tmp_path_factory) -> Iterator[Trial]:
    with closing(Vendor()) as vendor:
        trial = Trial(tmp_path_factory.mktemp("faults"), vendor)
        yield trial
        trial.database.close()


@pytest.mark.parametrize("fault", FAULTS)
def test_ingestion_on_a_failing_disk_says_so_in_one_line_or_carries_on(trial, fault):
    before = trial.entries()

    ended = trial.ingest(fault)

    said = "".join(line for line in ended.stderr.splitlines(True) if not line.startswith("{"))
    assert trial.struck() > 0
    assert ended.returncode != 0 or not fault.endswith("+")
    assert ended.returncode == 0 or ERROR_LINE.fullmatch(said), ended.stderr
    assert entry_faults(trial.database, {}) == []
    assert trial.entries() >= before


@contextmanager
def running(trial: Trial, fault: str, port: int, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The whole service under a fault, stopped with a signal."""
    with (
        log.open("wb") as output,
        subprocess.Popen(
            trial.command(fault, "up", "--port", str(port)),
            env=trial.environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        ) as service,
    ):
        try:
            yield service
        finally:
            os.killpg(service.pid, signal.SIGTERM)
            try:
                service.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(service.pid, signal.SIGKILL)
                raise


def test_the_service_answers_while_the_disk_fails_and_recovers_by_itself(trial):
    log, port, reads = trial.folder / "up.log", free_port(), []
    all_due(trial.database)
    with running(trial, "pwrite64:error=ENOSPC:when=30..36", port, log) as service:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and service.poll() is None:
            answers = statuses(port)
            _, refused, later = log.read_bytes().rpartition(REFUSED)
            reads += answers if refused else []
            if refused and b"checked" in later:
                break
            time.sleep(0.2)
    said = log.read_bytes()

    assert trial.struck() > 0
    assert REFUSED in said
    assert b"Traceback" not in said
    assert b"checked" in said.rpartition(REFUSED)[2]
    assert set(reads) == {200}
    assert trial.ingest().returncode == 0
    assert entry_faults(trial.database, {}) == []


def statuses(port: int) -> list[int]:
    """Read what is public, as customers do; nothing while the port is not open yet."""
    found = []
    for path in ("/api/v1/latest", "/api/v1/sources"):
        with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
            try:
                connection.request("GET", path)
            except ConnectionRefusedError:
                return found
            found.append(connection.getresponse().status)
    return found
