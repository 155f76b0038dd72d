"""Measure the daily file over many entries: writing, serving and reading it, joined with /changes.

    python bench/bulk.py [--entries 1000000] [--folder FOLDER]

Prints wall seconds, CPU seconds and the most memory of each process. Meanwhile entries are
written and edited; exit 1 where the file and the changes after its cursor are not what is stored.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import httpx2
import orjson
from api_calls import children
from api_data import DataSet, data_set
from command_line import parser_of
from specimen.processes import most_bytes, seconds_of
from specimen.rows import entry
from specimen.serving import CHANGEWIRE, PROGRAM, free_port, wait_for
from sqlalchemy import select

from client import Client, read_bulk
from storage.catalog.sources import ids_of
from storage.engine.database import Database, open_database
from storage.entries.entry_writes import Edit, known_entries, save_entries
from storage.models import Entry

TELL = """
import atexit
from pathlib import Path
def tell():
    Path("most").write_text(Path("/proc/self/status").read_text())
atexit.register(tell)
"""
"""Writes what a program used when it ends: in rusage the parent's memory counts."""
FETCH = """
import sys
from client import Client
with Client(sys.argv[1], sys.argv[2]) as client:
    print(len(client.bulk(sys.argv[3])))
"""
READ = """
import sys
from client import read_bulk
print(sum(1 for _ in read_bulk(sys.argv[1])))
"""
MEGABYTE = 1_000_000
SUMMARY = 300
WRITTEN = 40
"""Sources whose entries are written meanwhile: large and small ones."""
State = dict[tuple[str, str], bytes]


def measured(
    name: str, program: str, *arguments: str, folder: Path, environment: Mapping[str, str]
) -> None:
    """Run a program, and print what it took."""
    began = time.monotonic()
    command = [sys.executable, "-c", TELL + program, *arguments]
    process = subprocess.Popen(command, env=environment, cwd=folder)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, f"{name} failed"
    most = most_bytes((folder / "most").read_text())
    report(name, time.monotonic() - began, used.ru_utime + used.ru_stime, most)


def report(name: str, seconds: float, cpu_seconds: float, most: int) -> None:
    """Print a line of figures."""
    used = f"{most / MEGABYTE:6.0f} MB"
    print(f"{name:44} {seconds:7.1f} s {cpu_seconds:7.1f} s CPU {used}", flush=True)


def memory_of(server: int) -> int:
    """Return the most bytes that a server and its workers had, each at its time."""
    processes = (server, *children(server))
    return sum(most_bytes(Path(f"/proc/{each}/status").read_text()) for each in processes)


def cpu_of(server: int) -> float:
    """Return the CPU seconds of a server and its workers."""
    return sum(map(seconds_of, (server, *children(server))))


class Writing(threading.Thread):
    """Writes and edits entries, a few at a time, until it is stopped."""

    def __init__(self, database: Database, slugs: Sequence[str]) -> None:
        super().__init__(daemon=True)
        self._database, self._slugs = database, slugs
        self._ended, self.written = threading.Event(), 0

    def run(self) -> None:
        """Write."""
        while not self._ended.wait(0.1):
            slug, number = self._slugs[self.written % len(self._slugs)], self.written // 3
            now = datetime.now(UTC)
            record = entry(slug, number, now)
            with self._database.write() as session:
                source_id = ids_of(session, [slug])[slug]
                ids = [record.text.external_id]
                known = known_entries(session, source_id, ids=ids, urls=())
                edited = [Edit(each, record) for each in known]
                new = [] if edited else [record]
                save_entries(session, source_id, new=new, edited=edited, now=now)
            self.written += 1

    def stop(self) -> None:
        """Let it end."""
        self._ended.set()
        self.join()


def downloaded(url: str, key: str, server: int, file: Path) -> None:
    """Fetch the file as curl does; print the time, and what it cost the server."""
    before, cpu, began = memory_of(server), cpu_of(server), time.monotonic()
    with httpx2.stream("GET", f"{url}/bulk", headers={"X-Api-Key": key}, timeout=60) as answer:
        answer.raise_for_status()
        with file.open("wb") as target:
            for chunk in answer.iter_raw():
                target.write(chunk)
    seconds, after = time.monotonic() - began, memory_of(server)
    report(f"served, {file.stat().st_size / MEGABYTE:.0f} MB", seconds, cpu_of(server) - cpu, after)
    print(f"{'':44} of which {(after - before) / MEGABYTE:.0f} MB for this", flush=True)


def state_of(entries: Iterable[Any]) -> State:
    """Return a digest of each entry."""
    return {(each["source"], each["id"]): digest_of(each) for each in entries}


def digest_of(document: Any) -> bytes:
    """Return what is the same for the same entry only."""
    return blake2b(orjson.dumps(document, option=orjson.OPT_SORT_KEYS), digest_size=12).digest()


def joined(url: str, key: str, file: Path) -> State:
    """Return what a client has that reads the file and follows from its cursor."""
    bulk, changes = read_bulk(file), 0
    state = state_of(bulk)
    with Client(url, key) as client:
        for page in client.follow(None, bulk.cursor):
            changes += len(page.changes)
            for change in page.changes:
                each = change["entry"]
                state.pop((each["source"], each["id"]), None)
                if change["change"] != "removed":
                    state[each["source"], each["id"]] = digest_of(each)
    print(f"{changes} changes after the cursor of {len(bulk):,} entries", flush=True)
    return state


def stored(database: Database) -> State:
    """Return what is stored."""
    with database.read() as session:
        rows = (
            session.connection().execution_options(yield_per=1000).execute(select(Entry.document))
        )
        return state_of(orjson.loads(document) for document in rows.scalars())


def run(data: DataSet, folder: Path) -> bool:
    """Measure each step; return whether file and changes are what is stored."""
    port = free_port()
    url, file = f"http://127.0.0.1:{port}", folder / "changewire.ndjson.zst"
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[1]),
        "CHANGEWIRE_DATABASE_URL": data.url,
        "CHANGEWIRE_BULK_FOLDER": str(folder / "bulk"),
        "CHANGEWIRE_SITE_URL": url,
        "CHANGEWIRE_SECRET_KEY": "x" * 32,
        "CHANGEWIRE_LOG_LEVEL": "warning",
    }
    serve = [*CHANGEWIRE, "serve", "--port", str(port)]
    with closing(open_database(data.url)) as database:
        writing = Writing(database, data.slugs[:: len(data.slugs) // WRITTEN])
        writing.start()
        measure = partial(measured, folder=folder, environment=environment)
        measure("written: changewire db bulk", PROGRAM, "db", "bulk")
        with subprocess.Popen(serve, env=environment, cwd=folder) as server:
            try:
                wait_for(f"{url}/api/v1/latest", server, folder / "none")
                downloaded(url, data.all_key, server.pid, file)
                again = str(folder / "again.zst")
                measure("fetched by the client", FETCH, url, data.all_key, again)
                measure("read by the client", READ, again)
                writing.stop()
                print(f"{writing.written} writes meanwhile", flush=True)
                return joined(url, data.all_key, file) == stored(database)
            finally:
                server.terminate()


def main() -> None:
    """Measure and print."""
    parser = parser_of(__doc__, entries=1_000_000)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "bench")
    options = parser.parse_args()
    data = data_set(options.folder, options.entries, summary=SUMMARY)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        same = run(data, Path(folder))
    print("file and changes are what is stored" if same else "file and changes are NOT the same")
    sys.exit(not same)


if __name__ == "__main__":
    main()
