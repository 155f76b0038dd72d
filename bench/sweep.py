"""Compare sweeps over feeds with lemon24/reader: CPU seconds of the whole command, as ratios.

Each round starts from nothing and takes both programs in turn through three sweeps of the same
feeds: all new, unchanged, one new item in every tenth feed. A command counts from its start to its
end with all its children; the server of the feeds does not. Figures are medians over the rounds;
below 1 Changewire uses less. Recorded feeds are few, so of them the cost of a sweep over no feed
is taken from both.

    python bench/sweep.py [--feeds 1000] [--rounds 3] [--recorded FOLDER] [--peers FOLDER]

``--peers`` is where reader is installed, into an environment of its own, on the first run.
"""

import argparse
import compileall
import ctypes
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
import venv
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from statistics import median

from common import HERE, ROOT, parser_of
from feeds import ITEMS, recorded_feeds
from specimen.serving import free_port

STEP = 10  # one feed in so many has a new item
FIRST, UNCHANGED, TENTH, IDLE = "first sweep", "unchanged", "10 % with a new item", "no feed"
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: orphans become our children and are counted
READER = ("reader==3.26", "sgmllib3k==1.0.0")  # it imports the second without asking for it
READER_SCRIPT = """
import sys
from reader import make_reader
with make_reader(sys.argv[1]) as reader:
    for url in sys.argv[2:] and open(sys.argv[2]).read().split():
        reader.add_feed(url)
    if not sys.argv[2:]:
        reader.update_feeds(scheduled=False)
        assert not reader.get_feed_counts().broken
"""
Seconds = dict[str, dict[str, list[float]]]  # by sweep and program


def used_by(command: Sequence[str], env: Mapping[str, str] | None = None) -> float:
    """Run a command; return the CPU seconds of it and its descendants."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    before = seconds_of_children()
    # A group of its own tells its descendants from other children of ours, such as the server.
    process = subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, process_group=0
    )
    output, _ = process.communicate()
    with suppress(ChildProcessError):  # until the last of them is gone
        while True:
            os.waitpid(-process.pid, 0)
    failed = process.returncode or (b"ingest" in command[-2:] and b" 0 failed" not in output)
    assert not failed, f"{command[0]} failed: {output[-2_000:].decode(errors='replace')}"
    return seconds_of_children() - before


def seconds_of_children() -> float:
    """Return the CPU seconds of this process's children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Changewire:
    """``changewire ingest --all`` on SQLite."""

    name, table = "changewire", "entries"

    def __init__(self, folder: Path) -> None:
        self.file = folder / "changewire.db"
        self._env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "libraries"))),
            "CHANGEWIRE_DATABASE_URL": f"sqlite:///{self.file}",
            "CHANGEWIRE_FETCH_ALLOW": "127.0.0.0/8",
        }
        self._command = [sys.executable, "-m", "service.cli"]

    def prepare(self, feeds: Sequence[str]) -> None:
        """Load a catalog of these feeds."""
        lines = ["slug,vendor,name,kind,homepage,changelog_url,adapter_type,feed_url,tags"]
        for number, url in enumerate(feeds):
            home, kind = f"https://vendor{number}.example/", "atom" if number % 2 else "rss"
            lines.append(
                f"vendor{number}.news,vendor{number},Vendor {number},changelog,{home},{home},"
                f"{kind},{url},networking"
            )
        catalog = self.file.with_name("catalog.csv")
        catalog.write_text("\n".join(lines) + "\n")
        used_by([*self._command, "db", "upgrade"], self._env)
        if feeds:  # a catalog without rows is refused
            used_by([*self._command, "catalog", "load", str(catalog)], self._env)

    def sweep(self) -> float:
        """Check all sources; return the CPU seconds."""
        return used_by([*self._command, "ingest", "--all"], self._env)


class Reader:
    """lemon24/reader through its own Python API, on SQLite."""

    name, table = "reader", "entries"

    def __init__(self, folder: Path, python: Path) -> None:
        self.file = folder / "reader.db"
        self._command = [str(python), "-c", READER_SCRIPT, str(self.file)]

    def prepare(self, feeds: Sequence[str]) -> None:
        """Add the feeds."""
        listed = self.file.with_name("urls.txt")
        listed.write_text("\n".join(feeds))
        used_by([*self._command, str(listed)])

    def sweep(self) -> float:
        """Update all feeds; return the CPU seconds."""
        return used_by(self._command)


def stored(program: Changewire | Reader) -> int:
    """Return how many entries a program has stored."""
    with closing(sqlite3.connect(program.file)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {program.table}").fetchone()[0])


def reader_python(folder: Path) -> Path:
    """Return the Python of an environment that has reader, made in ``folder`` if need be."""
    python = folder / "bin/python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    has = subprocess.run([python, "-c", "import reader, sgmllib"], capture_output=True, check=False)
    if has.returncode:
        subprocess.run([python, "-m", "pip", "install", "-q", *READER], check=True)
    return python


@contextmanager
def serving(port: int, recorded: Path | None) -> Iterator[HTTPConnection]:
    """Run the server of the feeds; give a connection to it."""
    options = ["--recorded", str(recorded)] if recorded else []
    command = [sys.executable, str(HERE / "feeds.py"), str(port), *options]
    with subprocess.Popen(command) as process:
        try:
            connection = HTTPConnection("127.0.0.1", port, timeout=60)
            for _ in range(200):
                with suppress(OSError):
                    connection.connect()
                    break
                time.sleep(0.05)
            yield connection
        finally:
            process.kill()


def get(connection: HTTPConnection, path: str) -> None:
    """Ask the server of the feeds."""
    connection.request("GET", path)
    connection.getresponse().read()


def one_round(feeds: int, folder: Path, python: Path, options: argparse.Namespace) -> Seconds:
    """Take both programs through the sweeps of one round."""
    seconds: Seconds = defaultdict(lambda: defaultdict(list))
    port = free_port()
    hosts = [f"127.{1 + n // 62_500}.{n // 250 % 250}.{1 + n % 250}" for n in range(feeds)]
    addresses = [f"http://{host}:{port}/feed/{number}" for number, host in enumerate(hosts)]
    if options.recorded:
        idle = folder / "idle"
        idle.mkdir()
        for program in (Changewire(idle), Reader(idle, python)):
            program.prepare([])
            seconds[IDLE][program.name].append(program.sweep())
    with serving(port, options.recorded) as connection:
        for number in range(feeds):  # written before anybody is measured
            get(connection, f"/feed/{number}")
        programs = (Changewire(folder), Reader(folder, python))
        for program in programs:
            program.prepare(addresses)
        for done in (FIRST, UNCHANGED, TENTH):
            if done == TENTH:
                get(connection, f"/publish/{STEP}")
            for program in programs:
                seconds[done][program.name].append(program.sweep())
        if not options.recorded:
            counts = [stored(program) for program in programs]
            assert counts == [feeds * ITEMS + -(-feeds // STEP)] * 2, counts
    return seconds


def main() -> None:
    """Sweep, compare, print."""
    parser = parser_of(__doc__, feeds=1_000, rounds=3)
    parser.add_argument("--recorded", type=Path, help="a folder of recorded feeds")
    peers = Path(tempfile.gettempdir()) / "changewire-bench-peers"
    parser.add_argument("--peers", type=Path, default=peers)
    options = parser.parse_args()
    feeds = len(recorded_feeds(options.recorded)) if options.recorded else options.feeds
    python = reader_python(options.peers)
    compileall.compile_path(maxlevels=10, quiet=2)  # reader's modules were, by pip
    rounds = []
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as folder:
            rounds.append(one_round(feeds, Path(folder), python, options))
    print(f"{f'CPU of {feeds} feeds':24}{'changewire':>12}{'reader':>12}{'ratio':>8}")
    idle = {"changewire": 0.0, "reader": 0.0}
    for done in ([IDLE] if options.recorded else []) + [FIRST, UNCHANGED, TENTH]:
        used = {name: median(s for one in rounds for s in one[done][name]) for name in idle}
        ours, peer = (used[name] - idle[name] for name in idle)
        print(f"{done:24}{used['changewire']:10.2f} s{used['reader']:10.2f} s{ours / peer:8.2f}")
        idle = used if done == IDLE else idle


if __name__ == "__main__":
    main()
