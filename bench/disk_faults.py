"""Let the disk fail under the ingester, and check what that broke.

    python bench/disk_faults.py

strace makes writes and flushes of the database's files fail, with EIO and with ENOSPC, once or
from some call on. ``changewire ingest`` has to end with one line that says what
happened, or to carry on where a second attempt works. ``changewire up`` has to answer readers
all the while, to say what is wrong, and to go on by itself when the disk is back. After each the
database is sound, nothing is half stored and nothing twice (see kill_ingester.py).

Needs strace 5.8 or newer: without it the check is skipped, except where CI is set. Exits 1 with
a list of faults if there are any.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from http.client import HTTPConnection
from pathlib import Path
from typing import Final

from command_line import parser_of
from kill_ingester import faults_of, make_due
from specimen.ingestion import feed_rows
from sqlalchemy import func, select
from vendors import WINDOW, running

from storage.catalog.sources import save_sources
from storage.engine.database import open_database, upgrade
from storage.models import Entry

ERRORS: Final = ("EIO", "ENOSPC")
CALLS: Final = (
    *(("pwrite64", when) for when in ("1+", "3", "10", "25", "40+")),
    *(("fsync,fdatasync", when) for when in ("1+", "2", "2+")),
)
ERROR_LINE: Final = re.compile(r"changewire: The (database|disk that holds the database) [^\n]+\n")
REFUSED: Final = b"the database cannot be used"  # what the worker logs
PATIENCE: Final = 150.0  # seconds for the service to notice, and to recover


class Trial:
    """A database of its own with sources on the bench's vendors."""

    def __init__(self, folder: Path, port_suffix: str, sources: int) -> None:
        self.folder, self.sources = folder, sources
        self.file = folder / "faults.db"
        self.url = f"sqlite:///{self.file}"
        self.database = open_database(self.url)
        upgrade(self.database)
        addresses = [
            f"http://127.0.0.{1 + number}{port_suffix}/feed/{number}?grow"
            for number in range(sources)
        ]
        with self.database.write() as session:
            save_sources(session, feed_rows(addresses))

    def command(self, fault: str, *arguments: str) -> list[str]:
        """Return the command line of the service under strace, for which ``fault`` is injected."""
        calls, _, how = fault.partition(":")
        files = [f"{self.file}{suffix}" for suffix in ("", "-wal", "-journal")]
        return [
            *("strace", "-f", "-qq", "--seccomp-bpf", "-o", str(self.folder / "trace")),
            *(part for file in files for part in ("-P", file)),
            *("-e", f"trace={calls}", "-e", f"inject={calls}:{how}"),
            *(sys.executable, "-m", "service.cli", *arguments),
        ]

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the service."""
        return os.environ | {
            "CHANGEWIRE_DATABASE_URL": self.url,
            "CHANGEWIRE_FETCH_ALLOW": "127.0.0.0/8",
            "CHANGEWIRE_OUTBOX": str(self.folder / "outbox"),
            "PYTHONUNBUFFERED": "1",
        }

    def struck(self) -> int:
        """Return how often the fault was injected."""
        trace = self.folder / "trace"
        return trace.read_text(errors="replace").count("(INJECTED)") if trace.exists() else 0

    def stored(self) -> int:
        """Return how many entries are stored."""
        with self.database.read() as session:
            return session.scalar(select(func.count()).select_from(Entry)) or 0

    def broken(self) -> list[str]:
        """Return what is wrong with what is stored."""
        return faults_of(self.database, Counter())


def ingested(trial: Trial, fault: str) -> Iterator[str]:
    """Ingest once under a fault; yield what is wrong."""
    make_due(trial.database)
    before = trial.stored()
    ended = subprocess.run(
        trial.command(fault, "ingest", "--all"),
        env=trial.environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    message = "".join(line for line in ended.stderr.splitlines(True) if not line.startswith("{"))
    print(f"{fault}: struck {trial.struck()} times, exit {ended.returncode}: {message.strip()}")
    if not trial.struck():
        yield "the fault did not strike"
    elif ended.returncode == 0 and fault.endswith("+"):
        yield "ended well on a disk that fails for good"
    elif ended.returncode != 0 and not ERROR_LINE.fullmatch(message):
        yield f"exit {ended.returncode}, and not one clear line: {ended.stderr}"
    if trial.stored() < before:
        yield f"{before} entries were stored, now {trial.stored()}"
    yield from trial.broken()


def served(trial: Trial, fault: str, port: int) -> Iterator[str]:
    """Run the whole service under a fault that ends by itself; yield what is wrong."""
    log = trial.folder / "up.log"
    with (
        log.open("w") as output,
        subprocess.Popen(
            trial.command(fault, "up", "--port", str(port)),
            env=trial.environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        ) as service,
    ):
        try:
            reads: list[int] = []
            until = time.monotonic() + PATIENCE
            while time.monotonic() < until and service.poll() is None:
                statuses = _statuses(port)
                _, is_refused, later = log.read_bytes().rpartition(REFUSED)
                if is_refused and b"checked" in later:
                    break
                reads += statuses if is_refused else []
                time.sleep(0.2)
        finally:
            os.killpg(service.pid, signal.SIGTERM)
            try:
                service.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(service.pid, signal.SIGKILL)
                yield "did not stop within 20 s"
    log_text, refused = log.read_text(), REFUSED.decode()
    bad = [status for status in reads if status != 200]
    print(
        f"up, {fault}: struck {trial.struck()} times, {len(reads)} reads meanwhile, "
        f"{trial.stored()} entries when stopped"
    )
    if refused not in log_text or not trial.struck():
        yield f"the fault did not strike, or nothing was said: {log_text[-2000:]}"
    if "Traceback" in log_text:
        yield f"a traceback: {log_text[log_text.index('Traceback') :][:2000]}"
    if bad or not reads:
        yield f"{len(bad)} of {len(reads)} reads failed: {Counter(bad)}"
    if "checked" not in log_text.rpartition(refused)[2]:
        yield "did not go on when the disk was back"
    yield from trial.broken()


def completed(trial: Trial) -> Iterator[str]:
    """Ingest on a disk that works again; yield what is still missing."""
    make_due(trial.database)
    command = [sys.executable, "-m", "service.cli", "ingest"]
    subprocess.run(command, env=trial.environment, capture_output=True, timeout=600, check=True)
    missing = trial.sources * WINDOW - trial.stored()
    if missing > 0:
        yield f"{missing} entries are missing for good"
    yield from trial.broken()


def _statuses(port: int) -> Sequence[int]:
    """Read what is public, as customers do; nothing while the port is not open yet."""
    statuses = []
    for path in ("/api/v1/latest", "/api/v1/sources"):
        connection = HTTPConnection("127.0.0.1", port, timeout=20)
        try:
            connection.request("GET", path)
            statuses.append(connection.getresponse().status)
        except ConnectionRefusedError:
            return statuses
        finally:
            connection.close()
    return statuses


def main() -> int:
    """Try every fault; return the exit status."""
    parser = parser_of(__doc__, port=8934)
    options = parser.parse_args()
    if shutil.which("strace") is None:
        print("There is no strace here (apt-get install strace): the disk was not made to fail.")
        return 1 if os.environ.get("CI") else 0
    messages = []
    with running(options.port) as port_suffix:
        for error in ERRORS:
            with tempfile.TemporaryDirectory() as folder:
                trial = Trial(Path(folder), port_suffix, sources=12)
                for calls, when in CALLS:
                    fault = f"{calls}:error={error}:when={when}"
                    messages += [f"{fault}: {wrong}" for wrong in ingested(trial, fault)]
                trial.database.close()
            with tempfile.TemporaryDirectory() as folder:
                trial = Trial(Path(folder), port_suffix, sources=60)
                fault = f"pwrite64:error={error}:when=30..36"
                wrongs = [*served(trial, fault, options.port + 1000), *completed(trial)]
                messages += [f"up, {fault}: {wrong}" for wrong in wrongs]
                trial.database.close()
    print("\n".join(messages) or "No faults.")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
