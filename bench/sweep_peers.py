"""Who sweeps: Changewire's own command, lemon24/reader and newsboat, each as its users run it.

Every sweep is a process of its own, from its start to its end. What it used is what the system
counted for it and all its descendants, wherever they ended up.
"""

import ctypes
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from specimen.processes import seconds_of_children

ROOT = Path(__file__).parents[1]
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: orphans become our children, so that we can count them
READER = ("reader==3.26", "sgmllib3k==1.0.0")  # it imports the second without asking for it
_READER_SCRIPT = """
import sys
from reader import make_reader
with make_reader(sys.argv[1]) as reader:
    for url in sys.argv[2:] and open(sys.argv[2]).read().split():
        reader.add_feed(url)
    if not sys.argv[2:]:
        reader.update_feeds(scheduled=False)
        print(reader.get_feed_counts().broken or 0, reader.get_entry_counts().total)
"""


class BenchFailed(Exception):
    """A sweep did not do what it should have; the message says what it did."""


class Sweeper(Protocol):
    """Reads feeds into a place of its own."""

    name: str

    def prepare(self, feeds: Sequence[str]) -> None:
        """Learn which feeds there are; not measured."""

    def sweep(self) -> float:
        """Check all feeds; return the seconds of processor it took."""

    def entries(self) -> int:
        """Return how many entries are stored."""


def used_by(command: Sequence[str], *, env: dict[str, str] | None = None) -> tuple[float, bytes]:
    """Run a command; return the processor seconds of it and its descendants, and its output."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    before = seconds_of_children()
    # A group of its own tells its descendants from other children of ours, such as the server.
    process = subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, process_group=0
    )
    output, _ = process.communicate()
    try:
        while True:
            os.waitpid(-process.pid, 0)
    except ChildProcessError:
        pass  # the last of them is gone
    if process.returncode != 0:
        raise BenchFailed(f"{command[0]} failed: {output[-2_000:].decode(errors='replace')}")
    return seconds_of_children() - before, output


@dataclass
class Changewire:
    """``changewire ingest --all`` on SQLite."""

    folder: Path
    name: str = "changewire"

    def prepare(self, feeds: Sequence[str]) -> None:
        """Load a catalog of these feeds."""
        lines = ["slug,vendor,name,kind,homepage,changelog_url,adapter_type,feed_url,tags"]
        for number, url in enumerate(feeds):
            place = f"https://vendor{number}.example/"
            adapter = "atom" if number % 2 else "rss"
            lines.append(
                f"vendor{number}.news,vendor{number},Vendor {number},changelog,{place},{place},"
                f"{adapter},{url},networking"
            )
        catalog = self.folder / "catalog.csv"
        catalog.write_text("\n".join(lines) + "\n")
        used_by([*self._command(), "db", "upgrade"], env=self._env())
        if feeds:  # a catalog without rows is refused
            used_by([*self._command(), "catalog", "load", str(catalog)], env=self._env())

    def sweep(self) -> float:
        """Check all sources."""
        seconds, output = used_by([*self._command(), "ingest", "--all"], env=self._env())
        if b" 0 failed" not in output:
            raise BenchFailed(output[-2_000:].decode())
        return seconds

    def entries(self) -> int:
        """Count the stored entries."""
        import sqlite3

        with sqlite3.connect(self.folder / "cw.db") as connection:
            return int(connection.execute("SELECT count(*) FROM entries").fetchone()[0])

    def _command(self) -> list[str]:
        return [sys.executable, "-m", "service.cli"]

    def _env(self) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(self.folder),
            "PYTHONPATH": str(ROOT),  # the tree that this file is in, installed or not
            "CHANGEWIRE_DATABASE_URL": f"sqlite:///{self.folder / 'cw.db'}",
            "CHANGEWIRE_FETCH_ALLOW": "127.0.0.0/8",
        }


@dataclass
class Reader:
    """lemon24/reader, through its own Python API, on SQLite."""

    folder: Path
    python: Path
    name: str = "reader"

    def prepare(self, feeds: Sequence[str]) -> None:
        """Add the feeds."""
        listed = self.folder / "urls.txt"
        listed.write_text("\n".join(feeds))
        used_by([*self._command(), str(listed)])

    def sweep(self) -> float:
        """Update all feeds."""
        seconds, output = used_by(self._command())
        broken, stored = map(int, output.split()[-2:])
        if broken:
            raise BenchFailed(f"reader could not read {broken} feeds")
        self._stored = stored
        return seconds

    def entries(self) -> int:
        """Return what the last sweep counted."""
        return self._stored

    def _command(self) -> list[str]:
        return [str(self.python), "-c", _READER_SCRIPT, str(self.folder / "reader.db")]


@dataclass
class Newsboat:
    """``newsboat -x reload``."""

    folder: Path
    name: str = "newsboat"

    def prepare(self, feeds: Sequence[str]) -> None:
        """List the feeds."""
        (self.folder / "urls").write_text("\n".join(feeds) + "\n")
        (self.folder / "config").write_text("max-items 0\nreload-threads 4\n")

    def sweep(self) -> float:
        """Reload all feeds."""
        seconds, _ = used_by(
            [
                "newsboat",
                *("-u", str(self.folder / "urls")),
                *("-c", str(self.folder / "cache.db")),
                *("-C", str(self.folder / "config")),
                *("-x", "reload"),
            ],
            env={"HOME": str(self.folder), "PATH": os.environ.get("PATH", "")},
        )
        return seconds

    def entries(self) -> int:
        """Count the stored items."""
        import sqlite3

        with sqlite3.connect(self.folder / "cache.db") as connection:
            return int(connection.execute("SELECT count(*) FROM rss_item").fetchone()[0])


def reader_python(folder: Path) -> Path:
    """Return the Python of an environment that has reader, made in ``folder`` if need be."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    has = subprocess.run([python, "-c", "import reader, sgmllib"], capture_output=True, check=False)
    if has.returncode:
        subprocess.run([python, "-m", "pip", "install", "-q", *READER], check=True)
    return python


def has_newsboat() -> bool:
    """Tell whether newsboat is installed (Debian: apt-get install newsboat)."""
    return shutil.which("newsboat") is not None
